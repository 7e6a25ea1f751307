/*
 * The lobby: guests that wait together until their requests are whole.
 */
#ifndef MAPDIARY_POOL_LOBBY_H
#define MAPDIARY_POOL_LOBBY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pool/handoff.h"

enum { LOBBY_MOST = 512 }; /* guests, each with up to INPUT_MEMORY_MOST in memory */

struct lobby {
    int descriptor; /* readable, for poll(2) and epoll(7), while lobby_take() has something to do */
    const struct input_options *options;
    size_t count;
    struct handoff guests[LOBBY_MOST]; /* in the order in which they came */
};

/** False, with errno set, where the system gives no descriptor. */
bool lobby_open(struct lobby *lobby, const struct input_options *options);

/** Takes in a guest, which is the lobby's from then on. The oldest is closed where there is no
 * room. */
void lobby_add(struct lobby *lobby, const struct handoff *guest);

/** Reads on, from one guest that has something to say. True where its request is whole with that:
 * it is the caller's then. */
bool lobby_take(struct lobby *lobby, struct handoff *guest);

/** Closes the one that came first of those that spool their requests, while the spool is nearly
 * full. */
void lobby_thin(struct lobby *lobby);

/** Closes those whose time is up. */
void lobby_expire(struct lobby *lobby);

/** Milliseconds until there is something to do without being asked; -1 for an empty lobby. */
int64_t lobby_wants(const struct lobby *lobby);

/** Those who have said nothing by then get no more than so many milliseconds. */
void lobby_hurry_silent(struct lobby *lobby, int64_t patience);

/** Closes all that are left, and the lobby itself. */
void lobby_close(struct lobby *lobby);

#endif
