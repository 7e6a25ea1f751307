/*
 * The output of a command: the same calls write JSON (RFC 8259) or text for people. A list as the
 * outermost thing is, as text, a table: a line of names and a line an item, parted by TABs. Line
 * breaks and TABs within a value are shown as \n, \r and \t; but a field outside of a table shows
 * its lines below its name. Nothing is kept: a list may be as long as it likes.
 */
#ifndef MAPDIARY_CLI_OUTPUT_H
#define MAPDIARY_CLI_OUTPUT_H

#include <stdio.h>

#include "base/status.h"
#include "db/result.h"

struct output;

enum output_form {
    OUTPUT_TEXT,
    OUTPUT_JSON,         /* for people, too: a line a value, and nothing that drives a terminal */
    OUTPUT_COMPACT_JSON, /* for files: any number of documents, with what is put between them */
};

struct output *output_new(FILE *file, enum output_form form);
void output_free(struct output **out);
/** Ends the document, frees the output and sets the pointer to NULL. STATUS_INTERNAL, logged, where
 * something could not be written. */
enum status output_finish(struct output **out) MUST_CHECK;

/** Start an object or a list and end the one that was started last. The name is that of the field
 * in an object, and NULL for an item of a list and for the outermost thing. */
void output_object(struct output *out, const char *name);
void output_list(struct output *out, const char *name);
void output_end(struct output *out);

/** A text; NULL is JSON's null, and nothing for people. */
void output_text(struct output *out, const char *name, const char *text);
/** A number with these digits. */
void output_decimal(struct output *out, const char *name, const char *digits);
void output_integer(struct output *out, const char *name, int64_t value);
/** Seconds since the epoch as 2026-02-03T04:05:06Z. */
void output_time(struct output *out, const char *name, int64_t seconds);

/*
 * The public names of a statement's columns are a table, in the statement's order and ended by
 * NULL, beside the command that shows its rows: stores know no such names. PostgreSQL says which
 * type a column has. A mark before a name says what the type does not:
 *
 *     #    a text that holds the digits of a number
 *     ?    a number that people read as "unknown" where it is NULL
 */

/** The name of a column without its mark. */
const char *output_name(const char *column);

/** The next column of a row, or all that are left, as fields. */
void output_column(struct output *out, const char *column, struct db_row *row);
void output_columns(struct output *out, const char *const *columns, struct db_row *row);

/* Where rows go as they come. */
struct output_rows {
    struct output *out;
    const char *const *columns;
};

/** A db_row_function whose context is a struct output_rows: the whole row as an object in a list.
 * STATUS_INTERNAL where it cannot be written. */
enum status output_row(void *rows, struct db_row *row);

/** Rows that have come, as a list of objects. */
void output_list_of(struct output *out, const char *name, const char *const *columns,
                    const struct db_rows *rows);

#endif
