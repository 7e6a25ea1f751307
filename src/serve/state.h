/*
 * What the processes of the service show of themselves, beside the scoreboard, in memory that they
 * share.
 */
#ifndef MAPDIARY_SERVE_STATE_H
#define MAPDIARY_SERVE_STATE_H

#include "api/metrics.h"
#include "api/rate.h"
#include "api/tally.h"
#include "db/connection.h"
#include "run/scoreboard.h"

enum { STATE_WORKERS = 1000, STATE_REASON = 256 };

/* Written by the worker that has the number, and outlives it: counts go on with the next. */
struct worker_state {
    atomic_bool connected;     /* to the database */
    atomic_bool has_replica;   /* its reads go there */
    atomic_llong spooled;      /* bytes in files of the spool that its process has */
    char reason[STATE_REASON]; /* why it is not connected */
    struct db_counters database;
    struct metrics metrics;
};

/* Written by the process that waits. */
struct waiter_state {
    atomic_size_t requests; /* pending connections whose request is not whole */
    atomic_size_t answers;  /* and those whose answer is not sent */
    atomic_llong spooled;
};

/* Written by the indexer. */
struct indexer_figures {
    atomic_llong reports;       /* that are open */
    atomic_llong oldest_report; /* since when, in seconds since the epoch; 0: none */
};

struct state {
    atomic_llong spool_size; /* as configured */
    atomic_size_t body_most; /* bytes that a body may have, as configured */
    atomic_llong spooled;    /* bytes in all files of the spool */
    atomic_bool spool_full;  /* as struct spool has it */
    struct waiter_state waiter;
    struct tally tally;
    struct rate rate;
    atomic_int photos;   /* enum disk_state, as a worker found the folder of photos last */
    atomic_bool remains; /* files of photos that have gone are left to the indexer */
    struct indexer_figures figures;
    struct worker_state workers[STATE_WORKERS];
};

/** As scoreboard_map(). */
struct state *state_new(void);
void state_free(struct state **state);

/** What can be said of all workers together. */
struct state_summary {
    size_t connected;
    size_t with_replica;
    unsigned long requests;
    const char *reason; /* of one that is not connected; NULL where all are */
};
struct state_summary state_summarize(const struct state *state,
                                     const struct scoreboard_kind *workers);

#endif
