/*
 * COPY: rows by the million, in constant memory (PostgreSQL manual, 34.10).
 *
 * These work on the connection itself, outside of batches, within a transaction that db_script()
 * began: where its connection was lost since, they answer STATUS_UNAVAILABLE. Everything is written
 * to the log that goes wrong.
 */
#ifndef MAPDIARY_DB_COPY_H
#define MAPDIARY_DB_COPY_H

#include <stddef.h>

#include "base/buffer.h"
#include "db/connection.h"

/** Begins a COPY ... FROM STDIN; until db_copy_end() nothing else may be sent. */
enum status db_copy_begin(struct db *db, const char *sql) MUST_CHECK;
enum status db_copy_write(struct db *db, const char *bytes, size_t length) MUST_CHECK;
/** Ends it. With a reason PostgreSQL takes none of it, and the transaction is of no more use. */
enum status db_copy_end(struct db *db, const char *reason) MUST_CHECK;

/** Adds a value to a row: NULL, or text, escaped for COPY's text format. */
void db_copy_add_value(struct buffer *row, const char *text);
void db_copy_add_integer(struct buffer *row, int64_t integer);
/** Ends a row, which has a value at least. */
void db_copy_end_row(struct buffer *row);

/** Called for each line of a COPY ... TO STDOUT, its line feed included. */
typedef enum status db_line_function(void *context, const char *line, size_t length);

/** Runs a COPY ... TO STDOUT. Another status of the function than STATUS_OK stops it. */
enum status db_copy_out(struct db *db, const char *sql, db_line_function *function,
                        void *context) MUST_CHECK;

#endif
