/*
 * A worker: accepts connections one after the other and has a request on each answered.
 */
#ifndef MAPDIARY_SERVE_WORKER_H
#define MAPDIARY_SERVE_WORKER_H

#include <signal.h>

#include "api/exchange.h"
#include "run/scoreboard.h"
#include "serve/listener.h"
#include "serve/reception.h"

/* What does not change while the service runs. */
struct worker_options {
    const struct operation *operations;
    const struct db_statement *const *registry;
    const struct page *pages;
    const void *pages_context;
    const struct listener *listener;
    struct spool spool;          /* but for whose it is: spool_of() */
    struct reception *reception; /* each process has its own copy */
    struct scoreboard *scoreboard;
    int hashing; /* the places to hash passwords at: base/places.h */
};

/* What the master and its workers say to each other. */
enum {
    WORKER_STOP = SIGTERM,  /* to a worker: end after the request that you are at */
    WORKER_READY = SIGUSR1, /* to the master: a worker has left STAGE_STARTING */
};

/** The spool as the process of a slot counts what it has in it. */
struct spool spool_of(const struct worker_options *options, size_t slot);

/** How long a worker may be at a stage, in milliseconds; -1 for as long as it takes. */
int64_t worker_limit(const struct config *config, enum stage stage);

/**
 * Serves until WORKER_STOP, or max_requests. To be called in a process of its own, with WORKER_STOP
 * blocked. Answers the exit status.
 */
int worker_run(const struct worker_options *options, const struct config *config, size_t slot);

#endif
