/*
 * How a store works: on a batch that may hold the check of the session already, to which it adds
 * its statements and which it runs, in one round trip. The texts that it answers live until
 * db_batch_reset(). Functions named _add only add; their rows are there when somebody has run the
 * batch. Rows that an administrator sees are not read here: their columns come in the order of the
 * statement, and the command that shows them has a table of what they are called.
 */
#ifndef MAPDIARY_STORE_RUN_H
#define MAPDIARY_STORE_RUN_H

#include "base/status.h"
#include "db/batch.h"

/** Runs the batch. Where these rows of it are none, that is the status given. */
enum status store_run(struct db_batch *batch, const struct db_rows *rows,
                      enum status absent) MUST_CHECK;

/** The same, for the integer that begins the first row. */
enum status store_run_integer(struct db_batch *batch, const struct db_rows *rows,
                              enum status absent, int64_t *integer) MUST_CHECK;

/** The same, for the first row, which goes to the function; its status is answered. */
enum status store_run_row(struct db_batch *batch, const struct db_rows *rows, enum status absent,
                          db_row_function *function, void *context) MUST_CHECK;

#endif
