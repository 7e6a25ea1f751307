/*
 * Has libpq read connection strings.
 */
#include "db/conninfo.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"

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

static bool is_here(const char *host)
{
    return host == NULL || *host == '/' || *host == '@' || strcmp(host, "localhost") == 0 ||
           (strncmp(host, "127.", 4) == 0 && strchr(host, ',') == NULL) || strcmp(host, "::1") == 0;
}

bool db_conninfo_is_here(const char *conninfo)
{
    static const char *const hosts[] = {"host", "hostaddr"};
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    bool here = options != NULL;
    for (const PQconninfoOption *option = options; here && option->keyword != NULL; option++) {
        if (strcmp(option->keyword, "service") == 0)
            here = option->val == NULL;
        for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
            if (strcmp(option->keyword, hosts[i]) == 0)
                here = here && is_here(option->val);
    }
    PQconninfoFree(options);
    return here;
}

const char *db_conninfo_part(const char *keyword, const char *value, struct arena *arena)
{
    struct buffer part = {0};
    buffer_add_format(&part, "%s='", keyword);
    for (; *value != '\0'; value++)
        buffer_add_format(&part, *value == '\'' || *value == '\\' ? "\\%c" : "%c", *value);
    buffer_add(&part, "'", 2);
    const char *copy = arena_copy(arena, part.data, strlen(part.data));
    buffer_free(&part);
    return copy;
}

/* A password is of a role, and an address of the loopback gives way to the socket. */
static bool is_kept(const PQconninfoOption *option, bool is_here)
{
    static const char *const of_role[] = {"user", "password"};
    static const char *const of_address[] = {"host", "hostaddr"};
    if (option->val == NULL)
        return false;
    for (size_t i = 0; i < sizeof of_role / sizeof *of_role; i++)
        if (strcmp(option->keyword, of_role[i]) == 0)
            return false;
    for (size_t i = 0; is_here && i < sizeof of_address / sizeof *of_address; i++)
        if (strcmp(option->keyword, of_address[i]) == 0)
            return *option->val == '/' || *option->val == '@';
    return true;
}

const char *db_conninfo_for_role(const char *conninfo, const char *role, struct arena *arena)
{
    bool here = db_conninfo_is_here(conninfo);
    const char *user = db_conninfo_value(conninfo, "user", arena);
    const char *text = role != NULL ? db_conninfo_part("user", role, arena) : "";
    PQconninfoOption *options = PQconninfoParse(conninfo, NULL);
    if (user != NULL) /* which libpq takes for the database, if none is named */
        text = arena_format(arena, "%s %s", text, db_conninfo_part("dbname", user, arena));
    for (const PQconninfoOption *option = options; option != NULL && option->keyword != NULL;
         option++)
        if (is_kept(option, here))
            text = arena_format(arena, "%s %s", text,
                                db_conninfo_part(option->keyword, option->val, arena));
    PQconninfoFree(options);
    return text;
}
