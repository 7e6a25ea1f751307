#include "auth/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

/* The next item of a list, and its length; 0 at the end. */
static size_t next_item(const char **list)
{
    *list += strspn(*list, " ");
    return strcspn(*list, " ");
}

bool origin_is_listed(const char *origin, const char *list)
{
    size_t length = origin != NULL ? strlen(origin) : 0;
    for (size_t item; (item = next_item(&list)) > 0; list += item)
        if (item == length && strncasecmp(list, origin, length) == 0)
            return true;
    return false;
}

/*
 * An origin is scheme "://" host [":" port], and Host is the last two: RFC 9110, section 7.2. Which
 * of the two schemes it is is left aside: a proxy that ends TLS before the web server would make
 * every page foreign.
 */
static bool is_own(const struct origin_headers *headers)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t length = strlen(schemes[i]);
        if (headers->origin != NULL && headers->host != NULL &&
            strncasecmp(headers->origin, schemes[i], length) == 0)
            return strcasecmp(headers->origin + length, headers->host) == 0;
    }
    return false;
}

/* Of the same site are all names below one domain, whoever has them: there the origin decides. */
bool origin_is_foreign(const struct origin_headers *headers, const char *allowed)
{
    const char *site = headers->sec_fetch_site;
    if (origin_is_listed(headers->origin, allowed))
        return false;
    if (site == NULL)
        return headers->origin != NULL && !is_own(headers);
    if (strcmp(site, "same-site") == 0)
        return !is_own(headers);
    return strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0;
}

/* Each of these answers the end of what it reads, or NULL. */

static const char *read_scheme(const char *at)
{
    const char *end = at + strspn(at, LETTERS DIGITS "+.-");
    return strspn(at, LETTERS) > 0 && strncmp(end, "://", 3) == 0 ? end + 3 : NULL;
}

static const char *read_host(const char *at)
{
    bool is_ipv6 = *at == '[';
    const char *end =
        at + is_ipv6 + strspn(at + is_ipv6, is_ipv6 ? DIGITS "abcdef:." : LETTERS DIGITS "-._");
    if (is_ipv6)
        return *end == ']' ? end + 1 : NULL;
    return end > at ? end : NULL;
}

/* Without leading zeros. */
static const char *read_port(const char *at)
{
    size_t digits = strspn(at, DIGITS);
    bool is_port = digits > 0 && digits <= 5 && *at != '0' && strtol(at, NULL, 10) <= 65535;
    return is_port ? at + digits : NULL;
}

static bool is_default_port(const char *origin, const char *port, size_t length)
{
    bool is_http = strncmp(origin, "http:", 5) == 0, is_https = strncmp(origin, "https:", 6) == 0;
    return (is_http && length == 2 && strncmp(port, "80", 2) == 0) ||
           (is_https && length == 3 && strncmp(port, "443", 3) == 0);
}

static bool is_sent(const char *origin, size_t length)
{
    const char *host = read_scheme(origin), *end = host != NULL ? read_host(host) : NULL;
    if (end != NULL && *end == ':') {
        const char *port = end + 1;
        end = read_port(port);
        if (end != NULL && is_default_port(origin, port, (size_t)(end - port)))
            return false;
    }
    return end == origin + length;
}

enum status origin_check_list(const char *list, char *reason, size_t size)
{
    for (size_t item; (item = next_item(&list)) > 0; list += item) {
        if (is_sent(list, item))
            continue;
        snprintf(reason, size, "no browser sends %.*s as an origin: https://app.example is one",
                 (int)item, list);
        return STATUS_PARAMETER_INVALID;
    }
    return STATUS_OK;
}

enum status origin_check_url(const char *url, char *reason, size_t size)
{
    if (text_is_http(url) && is_sent(url, strlen(url)))
        return STATUS_OK;
    snprintf(reason, size,
             "'%.100s' is not like https://diary.example: http or https, a host in lower case, "
             "a port unless the scheme implies the port, and nothing else",
             url);
    return STATUS_PARAMETER_INVALID;
}
