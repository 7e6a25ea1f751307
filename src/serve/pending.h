/*
 * A pending connection: one whose request has not come yet, or not all of it, or all of it; or
 * whose answer is not sent yet, or not all of it.
 *
 *                  a worker accepts it
 *                      |          |
 *     PENDING_REQUEST <+          +> a worker answers it ----- all of it is taken ----> closed
 *     the waiter reads |          ^          |                                            ^
 *                      |          |          v                                            |
 *                      |  it is   |   PENDING_ANSWER ---------- all of it is taken -------+
 *                      +- whole --+   the waiter sends                                    |
 *                      |                     |                                            |
 *                      +---------------------+- too late, too many, the spool is full ----+
 */
#ifndef MAPDIARY_SERVE_PENDING_H
#define MAPDIARY_SERVE_PENDING_H

#include <stdint.h>

#include "fcgi/input.h"
#include "fcgi/output.h"

enum pending_kind { PENDING_REQUEST, PENDING_ANSWER, PENDING_KINDS };

/* Times are in milliseconds, those on the clock of clock_milliseconds(). */
struct pending {
    int64_t since, until;
    int64_t patience; /* with a web server that takes nothing of an answer */
    int connection;
    enum pending_kind kind;
    struct input input;   /* of a request */
    struct output output; /* of an answer */
};

/** The file of the spool that it has, or would have. */
struct spool_file *pending_file(struct pending *pending);

/** Closes the connection, visibly broken off where an answer is not sent, and frees the rest. */
void pending_close(struct pending *pending, const struct spool *spool);

#endif
