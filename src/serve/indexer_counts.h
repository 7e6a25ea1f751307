/*
 * Writes what workers have counted in shared memory to the database.
 */
#ifndef MAPDIARY_SERVE_INDEXER_COUNTS_H
#define MAPDIARY_SERVE_INDEXER_COUNTS_H

#include "api/tally.h"
#include "db/batch.h"

/** Writes some of it, and takes off what is written once that is committed: a process that is
 * killed before has written nothing, and the next one writes it. True where there may be more. */
bool indexer_counts_write(struct tally *tally, struct db_batch *batch);

/** Whether something is not written yet. */
bool indexer_counts_are_left(struct tally *tally);

#endif
