/*
 * The socket that the web server connects to.
 */
#ifndef MAPDIARY_POOL_LISTENER_H
#define MAPDIARY_POOL_LISTENER_H

#include "base/config.h"
#include "base/status.h"

/**
 * The listening socket, non-blocking and closed on exec: the one that systemd handed over
 * (sd_listen_fds(3)), else as the configuration says. A unix socket that nobody serves any more is
 * replaced, one that somebody serves is refused, and so is a path that is no socket.
 * STATUS_INTERNAL, with the reason logged.
 */
enum status listener_open(const struct config *config, int *descriptor) MUST_CHECK;

/** Closes the socket, and removes the path if listener_open() made it. */
void listener_close(const struct config *config, int descriptor);

#endif
