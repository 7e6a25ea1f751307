/*
 * How often a user writes.
 */
#ifndef MAPDIARY_STORE_RATE_H
#define MAPDIARY_STORE_RATE_H

#include "store/session.h"

/** Counts a write of somebody who has that session, if these are not so many within a minute yet;
 * *wait are the milliseconds until the user may write, or 0. By a transaction of its own. */
enum status rate_count_write(struct db_batch *batch, const struct session_claim *claim,
                             int64_t most, int64_t *wait) MUST_CHECK;

#endif
