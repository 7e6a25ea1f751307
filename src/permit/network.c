#include "permit/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The bytes of an address that name a client, and the site that it belongs to. */
static const struct {
    int ipv4, ipv6;
    const char *ending;
} widths[] = {
    [NETWORK_CLIENT] = {4, 8, ""},
    [NETWORK_SITE] = {3, 6, "/"},
};

static void write_masked(int family, unsigned char *bytes, int kept, int size, char *network)
{
    memset(bytes + kept, 0, (size_t)(size - kept));
    inet_ntop(family, bytes, network, INET6_ADDRSTRLEN);
}

void network_name(const char *address, enum network_width width, char network[static NETWORK_SIZE])
{
    struct in6_addr ipv6;
    struct in_addr ipv4;
    bool is_ipv6 = inet_pton(AF_INET6, address, &ipv6) == 1;
    bool is_ipv4 = !is_ipv6 && inet_pton(AF_INET, address, &ipv4) == 1;
    if (is_ipv6 && IN6_IS_ADDR_V4MAPPED(&ipv6)) {
        memcpy(&ipv4, &ipv6.s6_addr[12], sizeof ipv4);
        is_ipv4 = true;
    }
    snprintf(network, NETWORK_SIZE - 1, "%s", address);
    if (is_ipv4)
        write_masked(AF_INET, (unsigned char *)&ipv4, widths[width].ipv4, sizeof ipv4, network);
    else if (is_ipv6)
        write_masked(AF_INET6, ipv6.s6_addr, widths[width].ipv6, sizeof ipv6, network);
    strcat(network, widths[width].ending);
}
