#include "http/body.h"

#include <string.h>
#include <strings.h>

static const char blanks[] = " \t";

/* No other than a charset of UTF-8. */
static bool is_utf8(const char *parameters)
{
    if (*parameters == '\0')
        return true;
    const char *parameter = parameters + 1;
    parameter += strspn(parameter, blanks);
    return *parameter == '\0' || strcasecmp(parameter, "charset=utf-8") == 0 ||
           strcasecmp(parameter, "charset=\"utf-8\"") == 0;
}

static const struct body_kind kinds[] = {
    {"application/x-www-form-urlencoded", 1048576, is_utf8},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static bool is_of(const struct body_kind *kind, const char *content_type)
{
    size_t length = strlen(kind->media_type);
    if (strncasecmp(content_type, kind->media_type, length) != 0)
        return false;
    const char *rest = content_type + length;
    rest += strspn(rest, blanks);
    return (*rest == '\0' || *rest == ';') && kind->takes(rest);
}

const struct body_kind *body_kind_find(const char *content_type)
{
    for (size_t i = 0; content_type != NULL && i < KINDS; i++)
        if (is_of(&kinds[i], content_type))
            return &kinds[i];
    return NULL;
}

size_t body_most(void)
{
    size_t most = 0;
    for (size_t i = 0; i < KINDS; i++)
        most = kinds[i].most > most ? kinds[i].most : most;
    return most;
}
