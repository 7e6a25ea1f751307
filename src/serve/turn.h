/*
 * Whether it is the turn of the request that a worker has: always of one without files, else of one
 * with a permit of serve/turns.
 */
#ifndef MAPDIARY_SERVE_TURN_H
#define MAPDIARY_SERVE_TURN_H

#include "fcgi/responder.h"
#include "run/progress.h"
#include "serve/pending.h"
#include "serve/shared.h"

struct turn {
    const struct shared *shared;
    struct progress *progress;
    bool has_waited; /* and that is over, where it came without a permit */
    struct permit permit;
};

enum turn_time { TURN_NOW, TURN_LATER, TURN_NEVER };

/** A pending connection is the worker's now, and so is its permit, if it has one. */
void turn_take_up(struct turn *turn, const struct pending *pending);

/** For a request whose body was not read. Where it cannot wait elsewhere it does so here, and
 * TURN_LATER is not answered. */
enum turn_time turn_begin(struct turn *turn, const struct responder *responder, bool may_wait);

/** The request is answered, or somebody else's. */
void turn_end(struct turn *turn);

#endif
