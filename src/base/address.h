/*
 * Where the service listens: "unix:PATH", or "ADDRESS:PORT" with an IPv6 address in brackets.
 */
#ifndef MAPDIARY_BASE_ADDRESS_H
#define MAPDIARY_BASE_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/status.h"

struct address {
    struct sockaddr_storage socket;
    socklen_t length;
};

/** Names are not looked up. STATUS_PARAMETER_INVALID where the text is neither form, or the path
 * longer than unix(7) allows. */
enum status address_parse(const char *text, struct address *address) MUST_CHECK;

/** The path of a unix socket; NULL for the others. */
const char *address_path(const struct address *address);

/** True where only this machine can connect. */
bool address_is_local(const struct address *address);

#endif
