#include "http/cookie.h"

#include <stdio.h>
#include <string.h>

enum { COOKIE_SIZE = 512 }; /* ours have some 150 bytes */

static const char *attributes_of(const struct request *request, const struct config *config)
{
    if (!request_is_secure(request))
        return "SameSite=Lax";
    return *config->allowed_origins != '\0' ? "SameSite=None; Secure" : "SameSite=Lax; Secure";
}

/* RFC 6265, section 4.1.1; SameSite is in its successor, draft-ietf-httpbis-rfc6265bis. */
void cookie_set(struct response *response, const struct request *request,
                const struct config *config, const char *name, const char *value, int64_t lifetime)
{
    char cookie[COOKIE_SIZE];
    snprintf(cookie, sizeof cookie, "%s=%s; Max-Age=%lld; Path=/; HttpOnly; %s", name, value,
             (long long)((lifetime + 999) / 1000), attributes_of(request, config));
    response_header(response, "Set-Cookie", cookie);
}

static const char blanks[] = " \t";

/* Lines of this header come joined by "; ", or by ", " as those of others do (RFC 9110, section
 * 5.3). A comma within a value has neither a blank nor an end behind it. */
static bool is_between(const char *at)
{
    return *at == ';' || (*at == ',' && (at[1] == '\0' || strchr(" \t;", at[1]) != NULL));
}

static const char *end_of(const char *at)
{
    while (*at != '\0' && !is_between(at))
        at++;
    return at;
}

/* The value without the blanks and the double quotes that may be around it. */
static const char *trim(const char *start, const char **end)
{
    while (*end > start && strchr(blanks, (*end)[-1]) != NULL)
        (*end)--;
    if (*end - start < 2 || *start != '"' || (*end)[-1] != '"')
        return start;
    (*end)--;
    return start + 1;
}

static void take(const char *at, const char *end, struct session_cookies *cookies,
                 struct arena *arena)
{
    const char *equals = memchr(at, '=', (size_t)(end - at));
    if (equals == NULL)
        return;
    const char *value = trim(equals + 1, &end);
    session_cookies_add(cookies, at, (size_t)(equals - at), value, (size_t)(end - value), arena);
}

void cookie_read(const char *header, struct arena *arena, struct session_cookies *cookies)
{
    *cookies = (struct session_cookies){0};
    while (header != NULL && *header != '\0') {
        header += strspn(header, blanks);
        const char *end = end_of(header);
        take(header, end, cookies, arena);
        header = *end != '\0' ? end + 1 : end;
    }
}
