/*
 * The indexer: a process that works off what writers have noted for finding (store/indexer.h), so
 * that they need not wait for it nor for each other. Of several machines one does it at a time.
 */
#ifndef MAPDIARY_SERVE_INDEXER_H
#define MAPDIARY_SERVE_INDEXER_H

#include "base/config.h"
#include "run/scoreboard.h"
#include "serve/shared.h"

/** As struct child_kind has it. */
int64_t indexer_limit(const struct config *config, enum stage stage);

/** Works off what writers have appended, until it is told to stop: does not return. */
int indexer_run(struct shared *shared, const struct config *config, struct scoreboard_slot *slot);

#endif
