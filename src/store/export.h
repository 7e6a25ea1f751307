/*
 * What leaves the database as files: points of interest, albums and blogs of everybody, and all
 * that there is of one user. JSON is made by PostgreSQL and streamed row by row, as one text
 * column.
 */
#ifndef MAPDIARY_STORE_EXPORT_H
#define MAPDIARY_STORE_EXPORT_H

#include "db/batch.h"
#include "db/copy.h"

enum export_kind { EXPORT_POIS, EXPORT_ALBUMS, EXPORT_BLOGS, EXPORT_KIND_COUNT };

/** Streams all of a kind as GeoJSON features, by identifier. */
enum status export_features(struct db_batch *batch, enum export_kind kind,
                            db_row_function *function, void *context) MUST_CHECK;

/** Streams all of a kind as lines of CSV with a header, in the columns that an import takes.
 * Outside of a transaction. */
enum status export_csv(struct db *db, enum export_kind kind, db_line_function *function,
                       void *context) MUST_CHECK;

/* A file of what there is of one user. */
struct export_file {
    const char *name;    /* "blogs.jsonl" */
    const char *content; /* in words */
};

/** Ended by a row without name. */
extern const struct export_file export_files[];

/** Streams the rows of a file, by its index, as JSON objects. */
enum status export_file_rows(struct db_batch *batch, size_t file, int64_t user_id,
                             db_row_function *function, void *context) MUST_CHECK;

#endif
