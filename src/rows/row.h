/*
 * A row of a file as the values of the columns of an import.
 */
#ifndef MAPDIARY_ROWS_ROW_H
#define MAPDIARY_ROWS_ROW_H

#include "rows/columns.h"
#include "rows/mapping.h"

struct import_reader {
    const struct parameter *columns;
    bool geojson;              /* the rows are features */
    bool has_header;           /* which was checked, so that the names of its rows are right */
    const char *source;        /* of rows that name none */
    const char *owner;         /* email address of whoever gets what has no owner; NULL: none */
    const char *password_hash; /* of users without one */
    struct mapping *mapping;   /* NULL: none */
    struct arena *arena;       /* of a row */
    const char *texts[PARAMETERS_MOST]; /* what was read, by column; NULL: nothing */
};

/* What is wrong with a row, and where. */
struct row_fault {
    int64_t line, column;
    const char *reason; /* NULL: nothing */
};

/** Checks the names of a header. */
struct row_fault import_row_check_header(struct import_reader *reader, const struct row *header);

/** Reads and checks all columns; the first fault is answered, and the texts are there even so. */
struct row_fault import_row_read(struct import_reader *reader, const struct row *row);

/** The row's identifier: its own, or one that is made of what was read. */
const char *import_row_identify(struct import_reader *reader, const struct row *row);

/** Whose identifier that is: what the row says, or the reader's source. */
const char *import_row_source(const struct import_reader *reader, const struct row *row);

/** The field of a column; NULL where there is none. */
const struct field *import_row_find(const struct import_reader *reader, const struct row *row,
                                    const char *name);

/** The fault "name: reason" at a field, or where that is NULL, at the row. */
struct row_fault import_row_wrong(const struct import_reader *reader, const struct row *row,
                                  const struct field *field, const char *name, const char *reason);

#endif
