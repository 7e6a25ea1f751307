/*
 * What a worker counts of its requests, in memory that others read: one process writes.
 */
#ifndef MAPDIARY_API_METRICS_H
#define MAPDIARY_API_METRICS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    METRICS_OPERATIONS = 64, /* rows that the operation table may have, but for the last two */
    METRICS_PAGES = METRICS_OPERATIONS - 2,        /* which are for pages that are counted, */
    METRICS_NO_OPERATION = METRICS_OPERATIONS - 1, /* and for none */
    METRICS_BOUNDS = 13
};

/** Upper bounds of the buckets of the duration histogram, in microseconds, growing. */
extern const int64_t metrics_bounds[METRICS_BOUNDS];

struct metrics {
    atomic_ulong requests[METRICS_OPERATIONS][STATUS_COUNT];
    atomic_ulong durations[METRICS_BOUNDS + 1]; /* each request in the first bucket that holds it */
    atomic_ulong microseconds;                  /* of all requests */
    atomic_ulong bytes_received;                /* of bodies, as those sent */
    atomic_ulong bytes_sent;
    atomic_ulong pictures[STATUS_COUNT]; /* that were to be decoded, by what came of it */
};

/* A request that was answered. */
struct metrics_event {
    size_t operation; /* its row, or one of the two */
    enum status status;
    int64_t microseconds;
    size_t received, sent; /* bytes */
};

void metrics_count(struct metrics *metrics, const struct metrics_event *event);
void metrics_count_picture(struct metrics *metrics, enum status status);

#endif
