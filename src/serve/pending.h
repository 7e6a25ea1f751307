/*
 * A pending connection: one whose request has not come yet, or not all of it, or all of it; or
 * whose request waits for a permit (permit/permits.h); or whose answer is not sent yet, or not all
 * of it.
 *
 *    a worker accepts it
 *       |
 *       +----- its request is not whole ----> PENDING_REQUEST: the waiter reads ---+
 *       |                                          |                               |
 *       v                                          |                               |
 *    a worker takes it up <------- it is whole ----+                               |
 *       |         |                                                                |
 *       |         +---- no permit is free -------------------> PENDING_PERMIT -----+
 *       v                                                              |           |
 *    a worker answers it <---- a permit is granted, or its time is up -+           |
 *       |         |                                                                |
 *       |         +---- not all of it is taken ----> PENDING_ANSWER: the waiter sends
 *       |                                          |                               |
 *       v                                          |                               v
 *    closed <------------------ all is taken ------+       cut: late, gone, too many, spool full
 */
#ifndef MAPDIARY_SERVE_PENDING_H
#define MAPDIARY_SERVE_PENDING_H

#include <stdint.h>

#include "fcgi/input.h"
#include "fcgi/output.h"
#include "permit/permits.h"

enum pending_kind { PENDING_REQUEST, PENDING_PERMIT, PENDING_ANSWER, PENDING_KINDS };

/* Times are in milliseconds, those on the clock of clock_milliseconds(). */
struct pending {
    int64_t since, until;
    int64_t patience; /* with a web server that says nothing more, or takes nothing of an answer */
    int connection;
    enum pending_kind kind;
    struct input input;   /* of a request */
    struct asker asker;   /* of a request that waits for a permit */
    struct permit permit; /* that is granted to it */
    struct output output; /* of an answer */
};

/** The file of the spool that it has, or would have. */
struct spool_file *pending_file(struct pending *pending);

/** Closes the connection, visibly broken off where an answer is not sent, and frees the rest, but
 * for the permit. */
void pending_close(struct pending *pending, const struct spool *spool);

#endif
