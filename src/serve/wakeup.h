/*
 * What wakes a worker that has nothing to do, all of it in one epoll(7).
 */
#ifndef MAPDIARY_SERVE_WAKEUP_H
#define MAPDIARY_SERVE_WAKEUP_H

#include <stdbool.h>

#include "db/route.h"

enum wakeup_reason {
    WAKEUP_LISTENER = 1, /* somebody connects */
    WAKEUP_CHANNEL = 2,  /* a connection was passed on, or none will be any more */
    WAKEUP_DATABASE = 4, /* route_advance() has something to do */
    WAKEUP_STOP = 8,     /* CHILD_STOP came */
};

struct wakeup {
    int epoll;
    int stop;                     /* signalfd(2) of CHILD_STOP, which is blocked */
    int databases[ROUTE_SERVERS]; /* sockets that are watched; -1: none */
};

/** False, with errno set, where the system will not; wakeup_close() is due all the same. */
bool wakeup_open(struct wakeup *wakeup, int listener, int channel);

/** Waits for one or more of the reasons, and answers them. */
unsigned int wakeup_wait(struct wakeup *wakeup, const struct route *route);

void wakeup_close(struct wakeup *wakeup);

#endif
