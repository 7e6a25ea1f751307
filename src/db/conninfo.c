#include "db/conninfo.h"

#include <libpq-fe.h>
#include <string.h>

const char *db_conninfo_value(const char *conninfo, const char *keyword, struct arena *arena)
{
    const char *value = NULL;
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    for (const PQconninfoOption *option = options; option != NULL && option->keyword != NULL;
         option++)
        if (strcmp(option->keyword, keyword) == 0 && option->val != NULL)
            value = arena_copy(arena, option->val, strlen(option->val));
    PQconninfoFree(options);
    return value;
}
