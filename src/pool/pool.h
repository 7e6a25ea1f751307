/*
 * The pool of workers: started, replaced when they die, and drained at the end. The master itself
 * does nothing else, so that nothing a client sends can reach it.
 */
#ifndef MAPDIARY_POOL_POOL_H
#define MAPDIARY_POOL_POOL_H

#include "pool/worker.h"

/**
 * Runs as many workers as configured until SIGTERM or SIGINT; then they finish what they do, for
 * drain_timeout at most. The answer is the exit status: 0 where all ended in time.
 */
int pool_run(const struct worker_options *options);

#endif
