/*
 * How a worker passes connections on to the waiter: those whose request is not whole, or has no
 * permit, and those whose answer the web server does not take at once; and how it takes up those
 * that the waiter is done with.
 */
#ifndef MAPDIARY_SERVE_PASSING_H
#define MAPDIARY_SERVE_PASSING_H

#include "serve/channel.h"
#include "serve/handoff.h"

struct passing {
    struct channels *channels;
    const struct spool *spool;
    int64_t patience; /* milliseconds with a web server that stalls */
};

/** The connection and the input, which is empty then, are the waiter's. Without room in the channel
 * the connection is closed, and that is logged. */
void pass_request(const struct passing *passing, int connection, struct input *input);

/** The same, of a request that is whole and waits for a permit. */
void pass_waiting(const struct passing *passing, int connection, struct input *input,
                  const struct asker *asker);

/** The same, of the output. After pass_no_more() it is sent here. */
void pass_answer(const struct passing *passing, struct output *output);

/** Nothing more will be passed on. */
void pass_no_more(const struct passing *passing);

/** Takes up a connection whose request is whole, and has waited for a permit if it must; with
 * flags of 0, waits for it. HANDOFF_NO_MORE comes when the waiter has ended. */
enum handoff_arrival passing_take(const struct passing *passing, struct pending *pending,
                                  int flags);

#endif
