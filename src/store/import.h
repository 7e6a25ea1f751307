/*
 * Imports: rows go by COPY into a staging table, are checked there against the database, and become
 * things in the same transaction (import.sql). The database keeps which row of which source a thing
 * came from, so that the same rows again change nothing.
 *
 * The staging table has, for every kind: n (counts the rows from 1), line and position (of the row
 * in its file), source, identifier; then the columns of a row in the order of the COPY.
 */
#ifndef MAPDIARY_STORE_IMPORT_H
#define MAPDIARY_STORE_IMPORT_H

#include "db/copy.h"

enum import_kind {
    IMPORT_USERS,
    IMPORT_POIS,
    IMPORT_ALBUMS,
    IMPORT_BLOGS,
    IMPORT_PHOTOS,
    IMPORT_COMMENTS,
    IMPORT_KIND_COUNT
};

/** Whether there is a database, for what begins much later. */
enum status import_look(struct db *db) MUST_CHECK;
/** Begins the transaction and the COPY into the staging table. */
enum status import_begin(struct db *db, enum import_kind kind) MUST_CHECK;
/** Ends the COPY and checks the rows. Rejected ones go to the function, as lines of CSV. */
enum status import_check(struct db *db, enum import_kind kind, db_line_function *function,
                         void *context) MUST_CHECK;

struct import_counts {
    int64_t added;
    int64_t changed;
};

/** Called with how many of the rows are done. */
typedef void import_progress(void *context, int64_t rows);

/** Makes things of those rows that are left, of so many that were staged, and commits. */
enum status import_finish(struct db *db, enum import_kind kind, int64_t rows,
                          import_progress *progress, void *context,
                          struct import_counts *counts) MUST_CHECK;
/** Takes everything back. */
enum status import_abandon(struct db *db) MUST_CHECK;

#endif
