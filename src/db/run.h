/*
 * A batch from inside: batch.c fills it, run.c sends it and takes its results.
 */
#ifndef MAPDIARY_DB_RUN_H
#define MAPDIARY_DB_RUN_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/status.h"
#include "db/result.h"
#include "db/rows.h"
#include "db/statement.h"

struct db;

/* A statement with its parameters, as libpq takes them, and its rows. */
struct db_item {
    const struct db_statement *statement;
    const char **values;
    int *lengths;
    int *formats;
    int count;
    struct db_rows rows;
};

struct db_batch {
    struct db *db;
    struct arena *arena;
    struct db_item items[DB_BATCH_MOST];
    int count;
    bool writes;
    bool has_run;
    bool held;                 /* its transaction stays open when it has run */
    bool open;                 /* it is */
    db_row_function *function; /* of the last item; NULL where its rows are kept as all others */
    void *context;
    bool streamed;  /* the function has had a row: nothing can be repeated */
    bool abandoned; /* it wanted no more */
};

/** Runs the batch, on its connection or, where that is to a replica that does not answer, on the
 * primary's, until it cannot be repeated. */
enum status db_run(struct db_batch *batch) MUST_CHECK;
/** Rolls back the transaction that is open, so that the connection serves the next batch. */
void db_run_roll_back(struct db_batch *batch);
/** Clears the rows of a run. */
void db_run_clear(struct db_batch *batch);

#endif
