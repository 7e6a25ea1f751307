#include "base/urn.h"

#include <string.h>
#include <uuid.h>

bool urn_of_name(const char *space, const char *name, char urn[static URN_SIZE])
{
    uuid_t within, made;
    if (uuid_parse(space, within) != 0)
        return false;
    uuid_generate_sha1(made, within, name, strlen(name));
    uuid_unparse_lower(made, stpcpy(urn, "urn:uuid:"));
    return true;
}
