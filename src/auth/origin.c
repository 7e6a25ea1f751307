#include "auth/origin.h"

#include <string.h>
#include <strings.h>

static bool is_listed(const char *origin, const char *allowed)
{
    size_t length = strlen(origin);
    while (*(allowed += strspn(allowed, " ")) != '\0') {
        size_t item = strcspn(allowed, " ");
        if (item == length && strncasecmp(allowed, origin, length) == 0)
            return true;
        allowed += item;
    }
    return false;
}

/*
 * An origin is scheme "://" host [":" port], and Host is the last two: RFC 9110, section 7.2. The
 * scheme is left aside: a proxy that ends TLS before the web server would make every page foreign.
 */
static bool is_own(const struct origin_headers *headers)
{
    const char *host = strstr(headers->origin, "://");
    return host != NULL && headers->host != NULL && strncasecmp(headers->origin, "http", 4) == 0 &&
           strcasecmp(host + 3, headers->host) == 0;
}

bool origin_is_foreign(const struct origin_headers *headers, const char *allowed)
{
    if (headers->origin != NULL && is_listed(headers->origin, allowed))
        return false;
    if (headers->sec_fetch_site != NULL)
        return strcmp(headers->sec_fetch_site, "same-origin") != 0 &&
               strcmp(headers->sec_fetch_site, "same-site") != 0 &&
               strcmp(headers->sec_fetch_site, "none") != 0;
    return headers->origin != NULL && !is_own(headers);
}
