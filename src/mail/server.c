#include "mail/server.h"

#include <stddef.h>
#include <string.h>

/* The host and what follows it; NULL where there is no scheme of SMTP. */
static const char *host_of(const char *url)
{
    static const char *const schemes[] = {"smtp://", "smtps://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncmp(url, schemes[i], strlen(schemes[i])) == 0)
            return url + strlen(schemes[i]);
    return NULL;
}

static size_t host_length(const char *host)
{
    static const char names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    if (*host != '[')
        return strspn(host, names);
    size_t inside = strspn(host + 1, "0123456789abcdefABCDEF:.");
    return inside > 0 && host[1 + inside] == ']' ? inside + 2 : 0;
}

bool server_is_address(const char *url)
{
    const char *host = host_of(url);
    size_t length = host != NULL ? host_length(host) : 0;
    if (length == 0)
        return false;
    const char *port = host + length;
    size_t digits = *port == ':' ? strspn(port + 1, "0123456789") : 0;
    return *port == '\0' || (digits > 0 && digits <= 5 && port[1 + digits] == '\0');
}

bool server_is_local(const char *url)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    const char *host = host_of(url);
    size_t length = host != NULL ? host_length(host) : 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (length == strlen(names[i]) && strncmp(host, names[i], length) == 0)
            return true;
    return false;
}
