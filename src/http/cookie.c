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

static const char *value_of(const char *start, const char *end, struct arena *arena)
{
    while (end > start && strchr(blanks, end[-1]) != NULL)
        end--;
    if (end - start >= 2 && *start == '"' && end[-1] == '"') {
        start++;
        end--;
    }
    return arena_copy(arena, start, (size_t)(end - start));
}

const char *cookie_find(const char *header, const char *name, struct arena *arena)
{
    const char *found = NULL;
    size_t length = strlen(name);
    while (header != NULL && *header != '\0') {
        header += strspn(header, blanks);
        const char *end = header + strcspn(header, ";");
        if (strncmp(header, name, length) == 0 && header[length] == '=') {
            if (found != NULL)
                return NULL;
            found = value_of(header + length + 1, end, arena);
        }
        header = *end == ';' ? end + 1 : end;
    }
    return found;
}
