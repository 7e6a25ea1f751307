/*
 * How a worker passes on what it does not wait for: a request that has not come to its end, and an
 * answer that the web server does not take at once.
 */
#ifndef MAPDIARY_SERVE_PASSING_H
#define MAPDIARY_SERVE_PASSING_H

#include "serve/reception.h"

struct passing {
    struct reception *reception;
    const struct spool *spool;
    int64_t patience; /* milliseconds with a web server that stalls */
};

/** The connection and the input, which is empty then, are the reception's. */
void pass_request(const struct passing *passing, int connection, struct input *input);

/** The output is the reception's. Where that takes no more, as the service ends, it is sent
 * here. */
void pass_answer(const struct passing *passing, struct output *output);

#endif
