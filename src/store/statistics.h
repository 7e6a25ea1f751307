/*
 * How much there is, and what takes it.
 */
#ifndef MAPDIARY_STORE_STATISTICS_H
#define MAPDIARY_STORE_STATISTICS_H

#include "base/status.h"
#include "db/batch.h"

/* Rows that live until db_batch_reset(). */
struct statistics {
    const struct db_rows *counts; /* of each kind: how many, and how many of the last days */
    const struct db_rows *photos; /* of albums, of places: how many, those uploaded, their bytes */
    const struct db_rows *users;  /* the busiest of the last 30 days */
    const struct db_rows *places; /* those with the most comments */
    const struct db_rows *tables;
    const struct db_rows *indexes;
    const char *statements_schema; /* that has pg_stat_statements; NULL where it is not there */
};

/** At most so many of the busiest, and of the indexes. */
enum status statistics_read(struct db_batch *batch, int64_t most,
                            struct statistics *statistics) MUST_CHECK;

/** For a connection of its own to the schema that has pg_stat_statements; ended by NULL. */
extern const struct db_statement *const statistics_slow_registry[];

/** Streams the statements that took the most time, of those that the role may see. */
enum status statistics_slow(struct db_batch *batch, int64_t most, db_row_function *function,
                            void *context) MUST_CHECK;

#endif
