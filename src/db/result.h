/*
 * The rows that a statement gave, and their columns read in order as C values. A column that is
 * read as another type than it has is a fault of the program and ends it.
 */
#ifndef MAPDIARY_DB_RESULT_H
#define MAPDIARY_DB_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/date.h"
#include "base/status.h"

struct db_rows;

/** Zero for rows that have not come. */
size_t db_rows_count(const struct db_rows *rows);

/* A row with the place in it: every read moves on to the next column. */
struct db_row {
    const struct db_rows *rows;
    int row;
    int column;
};

/** The row of that index, at its first column. */
struct db_row db_row(const struct db_rows *rows, size_t index);

/** Called for each row of a streamed statement, as it comes; another status than STATUS_OK stops
 * the query. */
typedef enum status db_row_function(void *context, struct db_row *row);

/* Every type of PostgreSQL that is not among the others is read as a text. */
enum db_type { DB_TYPE_TEXT, DB_TYPE_INTEGER, DB_TYPE_BOOLEAN, DB_TYPE_DATE, DB_TYPE_TIME };

/** The type of the next column; does not move on. */
enum db_type db_next_type(const struct db_row *row);

bool db_read_boolean(struct db_row *row);
/** Of int2, int4 and int8; 0 for NULL. */
int64_t db_read_integer(struct db_row *row);
/** NULL for SQL's NULL. The text lives as long as the rows: until db_batch_reset(). */
const char *db_read_text(struct db_row *row);
/** The same, in the arena. */
const char *db_read_copy(struct db_row *row, struct arena *arena);
/** All zeros for NULL. */
struct date db_read_date(struct db_row *row);
/** A timestamptz in whole seconds since 1970-01-01 00:00 UTC, rounded down; TIME_NONE for NULL. */
int64_t db_read_epoch(struct db_row *row);
/** True where the next column is NULL; does not move on. */
bool db_next_is_null(const struct db_row *row);

/** How many columns are still to be read. */
size_t db_columns_left(const struct db_row *row);
void db_skip_column(struct db_row *row);

#endif
