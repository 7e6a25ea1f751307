/*
 * What counts as one of those who try passwords: the network that a client's address is of.
 */
#ifndef MAPDIARY_PERMIT_NETWORK_H
#define MAPDIARY_PERMIT_NETWORK_H

enum { NETWORK_SIZE = 64 };
enum network_width {
    NETWORK_CLIENT, /* an IPv4 address, the /64 of an IPv6 one, as a client has all of it (RFC 6177)
                     */
    NETWORK_SITE    /* the /24 and the /48 around it, as somebody with many addresses may have */
};
/**
 * The network that an address is of; any other text as it is, cut to size. No network of a client
 * is called as one of a site.
 */
void network_name(const char *address, enum network_width width, char network[static NETWORK_SIZE]);

#endif
