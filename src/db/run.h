/*
 * Running statements: batch.c gathers them, run.c sends them and takes their results.
 */
#ifndef MAPDIARY_DB_RUN_H
#define MAPDIARY_DB_RUN_H

#include <stdbool.h>

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

/* The statements of a batch, and their transaction. */
struct db_run {
    struct db *db;
    struct db_item *items;
    int count;
    bool writes;
    bool stays_open;           /* the transaction, if all goes well */
    bool is_open;              /* the transaction, before or after a run */
    db_row_function *function; /* of the last item; NULL where its rows are kept as all others */
    void *context;
    bool streamed;  /* the function has had a row: nothing can be repeated */
    bool abandoned; /* it wanted no more */
};

/** Runs them, on the connection or, where that is to a replica that does not answer, on the
 * primary's, until they cannot be repeated. */
enum status db_run(struct db_run *run) MUST_CHECK;
/** Rolls back the transaction that is open, so that the connection serves the next batch. */
void db_run_roll_back(struct db_run *run);
/** Clears the rows. */
void db_run_clear(struct db_run *run);

#endif
