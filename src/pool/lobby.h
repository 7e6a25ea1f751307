/*
 * The lobby: connections of a worker whose request has not come yet, or not all of it. They wait
 * together, so that nobody who says nothing, or sends a byte now and then, keeps a worker from
 * those who have a request.
 */
#ifndef MAPDIARY_POOL_LOBBY_H
#define MAPDIARY_POOL_LOBBY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "web/intake.h"

enum {
    LOBBY_MOST = 128,           /* guests */
    LOBBY_BYTES_MOST = 16777216 /* of their requests together, about */
};

struct guest {
    int connection;
    int64_t until; /* clock_milliseconds() */
    struct intake intake;
};

struct lobby {
    int descriptor; /* readable, for poll(2) and epoll(7), while lobby_take() has something to do */
    size_t count;
    struct guest guests[LOBBY_MOST]; /* in the order in which they came */
};

/** False, with errno set, where the system gives no descriptor. */
bool lobby_open(struct lobby *lobby);

/** Takes in a connection with what was read of its request, which leaves the intake all zeros, for
 * so many milliseconds. The oldest are closed where there is no room. */
void lobby_add(struct lobby *lobby, int connection, struct intake *intake, int64_t patience);

/** Reads on, from one guest that has something to say. If its request is whole with that, answers
 * its connection, and the request in the intake, whose memory goes before; else -1. */
int lobby_take(struct lobby *lobby, struct intake *intake);

/** Closes those whose time is up. */
void lobby_expire(struct lobby *lobby);

/** Milliseconds until the next one's time is up; -1 for an empty lobby. */
int64_t lobby_wants(const struct lobby *lobby);

/** Closes those who have said nothing yet. */
void lobby_dismiss_silent(struct lobby *lobby);

/** Closes all that are left, and the lobby itself. */
void lobby_close(struct lobby *lobby);

#endif
