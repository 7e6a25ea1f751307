/*
 * A worker: accepts connections one after the other and has a request on each answered.
 */
#ifndef MAPDIARY_POOL_WORKER_H
#define MAPDIARY_POOL_WORKER_H

#include <stdatomic.h>

#include "web/dispatch.h"

struct worker_options {
    const struct config *config;
    const struct operation *operations;
    const struct db_statement *const *registry;
    int listener;
};

/**
 * Serves until SIGTERM, which ends it between two requests. To be called in a process of its own,
 * with SIGTERM blocked. Counts the requests in *served. The answer is the exit status.
 */
int worker_run(const struct worker_options *options, atomic_ulong *served);

#endif
