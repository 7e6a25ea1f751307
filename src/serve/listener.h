/*
 * The socket that the web server connects to.
 */
#ifndef MAPDIARY_SERVE_LISTENER_H
#define MAPDIARY_SERVE_LISTENER_H

#include <stdbool.h>

#include "base/config.h"
#include "base/status.h"

struct listener {
    int descriptor;   /* non-blocking, closed on exec */
    char name[128];   /* as the configuration has it, for the log */
    char path[108];   /* of the unix socket that listener_open() made; else empty */
    bool handed_over; /* by systemd: it stays when we end, and what waits on it is not lost */
};

/**
 * The socket that systemd handed over (sd_listen_fds(3)), else as the configuration says. A unix
 * socket that nobody serves any more is replaced, one that somebody serves is refused, and so is a
 * path that is no socket. STATUS_INTERNAL, with the reason logged.
 */
enum status listener_open(const struct config *config, struct listener *listener) MUST_CHECK;

/** Takes the path away, if listener_open() made it: no further connections come. */
void listener_withdraw(struct listener *listener);

/** Closes the socket, and withdraws it. */
void listener_close(struct listener *listener);

#endif
