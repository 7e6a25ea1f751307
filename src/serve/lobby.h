/*
 * The lobby: connections that wait together, until their requests are whole, or their answers are
 * sent.
 */
#ifndef MAPDIARY_SERVE_LOBBY_H
#define MAPDIARY_SERVE_LOBBY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serve/pending.h"

/* Connections of each kind; requests have up to INPUT_MEMORY_MOST each in memory. */
enum { LOBBY_MOST = 512 };

struct lobby {
    int ready[PENDING_KINDS]; /* each is readable, for poll(2) and epoll(7), while there is
                                 something to do for one of the kind */
    const struct input_options *options;
    size_t most; /* of each kind */
    size_t counts[PENDING_KINDS];
    struct pending connections[PENDING_KINDS * LOBBY_MOST]; /* in the order in which they came */
};

/** It takes at most so many connections of each kind. False, with errno set, where the system gives
 * no descriptor. */
bool lobby_open(struct lobby *lobby, const struct input_options *options, size_t most);

/** Takes in a connection, which is the lobby's from then on. Where there is no room, the oldest of
 * those with requests is closed, or the slowest of those with answers. */
void lobby_add(struct lobby *lobby, const struct pending *pending);

/** Reads on, from one connection that has something to say. True where its request is whole with
 * that: it is the caller's then. */
bool lobby_take(struct lobby *lobby, struct pending *pending);

/** Sends on, to one connection that has room for more of its answer. */
void lobby_send(struct lobby *lobby);

/** Closes the slowest of those that have something in the spool, while that is nearly full. */
void lobby_thin(struct lobby *lobby);

/** Closes those whose time is up. */
void lobby_expire(struct lobby *lobby);

/** Milliseconds until there is something to do without being asked; -1 for an empty lobby. */
int64_t lobby_wants(struct lobby *lobby);

/** Those who have said nothing by then get no more than so many milliseconds. */
void lobby_hurry_silent(struct lobby *lobby, int64_t patience);

/** True where nobody waits. */
bool lobby_is_empty(const struct lobby *lobby);

/** Closes all that are left, and the lobby itself. */
void lobby_close(struct lobby *lobby);

#endif
