#include "base/address.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "base/text.h"

static const char unix_prefix[] = "unix:";

static enum status parse_unix(const char *path, struct address *address)
{
    struct sockaddr_un *in = (void *)&address->socket;
    if (*path == '\0' || strlen(path) >= sizeof in->sun_path)
        return STATUS_PARAMETER_INVALID;
    in->sun_family = AF_UNIX;
    memcpy(in->sun_path, path, strlen(path));
    address->length = sizeof *in;
    return STATUS_OK;
}

/* getaddrinfo() takes a port of 99999 for another one. */
static bool is_port(const char *text)
{
    int64_t port = 0;
    return text_to_integer(text, &port) && port >= 1 && port <= UINT16_MAX;
}

static enum status parse_ip(const char *text, struct address *address)
{
    char host[64];
    struct addrinfo *found = NULL;
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                                   .ai_socktype = SOCK_STREAM};
    const char *colon = strrchr(text, ':');
    bool bracketed = *text == '[' && colon != NULL && colon > text && colon[-1] == ']';
    const char *start = text + bracketed;
    const char *end = colon != NULL ? colon - bracketed : text;
    if (end <= start || (size_t)(end - start) >= sizeof host || !is_port(colon + 1))
        return STATUS_PARAMETER_INVALID;
    snprintf(host, sizeof host, "%.*s", (int)(end - start), start);
    if (getaddrinfo(host, colon + 1, &hints, &found) != 0)
        return STATUS_PARAMETER_INVALID;
    memcpy(&address->socket, found->ai_addr, found->ai_addrlen);
    address->length = found->ai_addrlen;
    freeaddrinfo(found);
    return STATUS_OK;
}

enum status address_parse(const char *text, struct address *address)
{
    size_t prefix = sizeof unix_prefix - 1;
    *address = (struct address){.length = 0};
    if (strncmp(text, unix_prefix, prefix) == 0)
        return parse_unix(text + prefix, address);
    return parse_ip(text, address);
}

const char *address_path(const struct address *address)
{
    const struct sockaddr_un *in = (const void *)&address->socket;
    return address->socket.ss_family == AF_UNIX ? in->sun_path : NULL;
}

bool address_is_local(const struct address *address)
{
    const struct sockaddr_in6 *in6 = (const void *)&address->socket;
    const struct sockaddr_in *in = (const void *)&address->socket;
    switch (address->socket.ss_family) {
    case AF_INET6:
        return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
    case AF_INET:
        return ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    default:
        return true;
    }
}
