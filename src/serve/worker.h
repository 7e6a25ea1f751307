/*
 * A worker: accepts connections one after the other and has a request on each answered.
 */
#ifndef MAPDIARY_SERVE_WORKER_H
#define MAPDIARY_SERVE_WORKER_H

#include "api/exchange.h"
#include "run/scoreboard.h"
#include "serve/shared.h"

/** As struct child_kind has it. */
int64_t worker_limit(const struct config *config, enum stage stage);

/**
 * Serves until CHILD_STOP, or max_requests. To be called in a process of its own, with CHILD_STOP
 * blocked. Answers the exit status.
 */
int worker_run(struct shared *shared, const struct config *config, struct scoreboard_slot *slot,
               size_t number);

#endif
