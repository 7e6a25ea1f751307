/*
 * A pending connection: one whose request has not come yet, or not all of it, or all of it; or
 * whose request has files, and waits for its turn (serve/turns); or whose answer is not sent yet,
 * or not all of it.
 *
 *    a worker accepts it
 *       |
 *       +----- its request is not whole ----> PENDING_REQUEST: the waiter reads ---+
 *       |                                          |                               |
 *       v                                          |                               |
 *    a worker takes it up <------- it is whole ----+                               |
 *       |         |                                                                |
 *       |         +---- it has files, and no permit is free ----> PENDING_TURN ----+
 *       v                                                              |           |
 *    a worker answers it <---- a permit comes with it, or 5 s are over +           |
 *       |         |                                                                |
 *       |         +---- not all of it is taken ----> PENDING_ANSWER: the waiter sends
 *       |                                          |                               |
 *       v                                          |                               v
 *    closed <------------------ all is taken ------+       cut: late, gone, too many, spool full
 */
#ifndef MAPDIARY_SERVE_PENDING_H
#define MAPDIARY_SERVE_PENDING_H

#include <stdint.h>

#include "auth/network.h"
#include "fcgi/input.h"
#include "fcgi/output.h"
#include "serve/turns.h"

enum { PENDING_TURN_PATIENCE = 5000 }; /* milliseconds that a request waits for its turn */

enum pending_kind { PENDING_REQUEST, PENDING_TURN, PENDING_ANSWER, PENDING_KINDS };

/* Times are in milliseconds, those on the clock of clock_milliseconds(). */
struct pending {
    int64_t since, until;
    int64_t patience; /* with a web server that says nothing more, or takes nothing of an answer */
    int connection;
    enum pending_kind kind;
    struct input input;        /* of a request, or a turn */
    struct permit permit;      /* of a turn that has come */
    char client[NETWORK_SIZE]; /* whose turn it is */
    struct output output;      /* of an answer */
};

/** The file of the spool that it has, or would have. */
struct spool_file *pending_file(struct pending *pending);

/** Closes the connection, visibly broken off where an answer is not sent, and frees the rest. */
void pending_close(struct pending *pending, const struct spool *spool);

#endif
