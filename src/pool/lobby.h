/*
 * The lobby: connections of a worker on which nothing was said yet. They wait together, so that
 * nobody who connects and says nothing keeps a worker from those who have a request.
 */
#ifndef MAPDIARY_POOL_LOBBY_H
#define MAPDIARY_POOL_LOBBY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOBBY_MOST = 256 };

struct lobby {
    int descriptor; /* readable, for poll(2) and epoll(7), when lobby_take() has one */
    size_t count;
    struct {
        int connection;
        int64_t until;    /* clock_milliseconds() */
    } guests[LOBBY_MOST]; /* in the order in which they came */
};

/** False, with errno set, where the system gives no descriptor. */
bool lobby_open(struct lobby *lobby);

/** Takes a connection in, for so many milliseconds. The oldest is closed where there is no room. */
void lobby_add(struct lobby *lobby, int connection, int64_t patience);

/** Lets one go on which something was said, or which the other side closed; -1 where there is none.
 */
int lobby_take(struct lobby *lobby);

/** Closes those whose time is up. */
void lobby_expire(struct lobby *lobby);

/** Milliseconds until the next one's time is up; -1 for an empty lobby. */
int64_t lobby_wants(const struct lobby *lobby);

/** Closes all that are left, and the lobby itself. */
void lobby_close(struct lobby *lobby);

#endif
