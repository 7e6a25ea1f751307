/*
 * What a command shows: the same calls write JSON (RFC 8259) or text for people. A list as the
 * outermost thing is, as text, a table: a line of names and a line an item, parted by TABs. Line
 * breaks and TABs within a value are shown as \n, \r and \t. Nothing is kept: a list may be as long
 * as it likes.
 */
#ifndef MAPDIARY_CLI_OUTPUT_H
#define MAPDIARY_CLI_OUTPUT_H

#include <stdio.h>

#include "base/status.h"
#include "db/result.h"

struct output;

struct output *output_new(FILE *file, bool is_json);
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
/** A text that is a JSON value already: a number, most of the time. */
void output_raw(struct output *out, const char *name, const char *json);
void output_integer(struct output *out, const char *name, int64_t value);
void output_boolean(struct output *out, const char *name, bool value);
/** Seconds since the epoch as 2026-02-03T04:05:06Z. */
void output_time(struct output *out, const char *name, int64_t seconds);
void output_date(struct output *out, const char *name, struct date date);

/** The columns of a row as fields, named as the columns are. */
void output_fields(struct output *out, struct db_row *row);
/** All rows as a list of objects. */
void output_rows(struct output *out, const char *name, const struct db_rows *rows);
/** A db_row_function whose context is the output: the row as an object in a list. */
enum status output_row(void *out, struct db_row *row);

#endif
