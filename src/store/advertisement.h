/*
 * Advertisements.
 */
#ifndef MAPDIARY_STORE_ADVERTISEMENT_H
#define MAPDIARY_STORE_ADVERTISEMENT_H

#include "base/status.h"
#include "db/batch.h"
#include "model/advertisement.h"
#include "model/list_part.h"

/** The one of a place whose turn it is, by a number from 0 on and below 1, in decimal. Where there
 * is none, the identifier stays 0. */
enum status advertisement_find(struct db_batch *batch, const struct place *place, const char *turn,
                               struct advertisement *advertisement) MUST_CHECK;
/** STATUS_ADVERTISEMENT_NOT_FOUND where it does not run today. */
enum status advertisement_check(struct db_batch *batch, int64_t advertisement_id) MUST_CHECK;

/** Statement of a connection that counts, ended by NULL: that of the indexer. */
extern const struct db_statement advertisement_counting[];
/** Adds that so many more were shown and chosen. */
void advertisement_count_add(struct db_batch *batch, int64_t advertisement_id, int64_t shown,
                             int64_t clicked);

/* For administrators --------------------------------------------------------------------------- */

enum status advertisement_insert(struct db_batch *batch, const struct advertisement_fields *fields,
                                 int64_t *advertisement_id) MUST_CHECK;
/** Streams all, or those alone that run today. */
enum status advertisement_list(struct db_batch *batch, bool running, const struct list_part *part,
                               db_row_function *function, void *context) MUST_CHECK;
/** One as one row, with its sums. STATUS_ADVERTISEMENT_NOT_FOUND, also below. */
enum status advertisement_show(struct db_batch *batch, int64_t advertisement_id,
                               db_row_function *function, void *context) MUST_CHECK;
/** Streams the counts of one by day; of all with 0. */
enum status advertisement_counts(struct db_batch *batch, int64_t advertisement_id,
                                 db_row_function *function, void *context) MUST_CHECK;
/** It runs no more from now on. */
enum status advertisement_end(struct db_batch *batch, int64_t advertisement_id) MUST_CHECK;

#endif
