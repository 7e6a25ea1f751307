/*
 * The file of rejected rows: CSV that begins with line, column and reason, and goes on with the
 * columns of an import. Mended, it can be imported again. It is made with the first row, for its
 * owner alone; one that is there already is kept under its name with a ~ behind it.
 */
#ifndef MAPDIARY_ROWS_REJECTS_H
#define MAPDIARY_ROWS_REJECTS_H

#include <stdio.h>

#include "cli/command.h"
#include "cli/new_file.h"

struct rejects {
    const char *path;
    bool is_chosen; /* else another takes its place where it cannot be written */
    const struct parameter *columns;
    struct new_file made;
    struct arena *arena; /* for that other path */
    int64_t count;
};

/** STATUS_CONFLICT, logged, where it is the file that is read. */
enum status rejects_check(const struct rejects *rejects, int input) MUST_CHECK;

/** Starts a row. STATUS_INTERNAL, logged, where the file cannot be written; so all below. */
enum status rejects_begin(struct rejects *rejects, int64_t line, int64_t column,
                          const char *reason) MUST_CHECK;
/** Adds a field of the row, the identifier and the source first; NULL is an empty one. */
void rejects_add(struct rejects *rejects, const char *text);
void rejects_end_row(struct rejects *rejects);

/** A db_line_function: adds a whole row, in the same form. */
enum status rejects_add_line(void *rejects, const char *line, size_t length);

enum status rejects_close(struct rejects *rejects) MUST_CHECK;

#endif
