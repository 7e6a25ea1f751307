/*
 * Has libpq read connection strings.
 */
#include "db/conninfo.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>

/* What libpq quotes of a connection string that it does not understand may be of a password. */
static void hide_quoted(char *text)
{
    char *end = text;
    for (bool is_quoted = false; *text != '\0'; text++) {
        is_quoted ^= *text == '"';
        if (!is_quoted || *text == '"')
            *end++ = *text;
    }
    *end = '\0';
}

static bool may_have_password(const char *conninfo)
{
    return strcasestr(conninfo, "pass") != NULL || strchr(conninfo, '@') != NULL;
}

enum status db_check_conninfo(const char *conninfo, char *reason, size_t size)
{
    char *error = NULL;
    PQconninfoOption *options = PQconninfoParse(conninfo, &error);
    enum status status = options != NULL ? STATUS_OK : STATUS_INTERNAL;
    if (options == NULL)
        snprintf(reason, size, "%s", error != NULL ? error : "out of memory");
    if (options == NULL && may_have_password(conninfo))
        hide_quoted(reason);
    PQconninfoFree(options);
    PQfreemem(error);
    return status;
}

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

bool db_conninfo_is_local(const char *conninfo)
{
    static const char *const elsewhere[] = {"host", "hostaddr", "password", "passfile", "service"};
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    bool is_local = options != NULL;
    for (const PQconninfoOption *option = options; is_local && option->keyword != NULL; option++)
        for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
            is_local =
                is_local && (option->val == NULL || strcmp(option->keyword, elsewhere[i]) != 0);
    PQconninfoFree(options);
    return is_local;
}
