/*
 * Files of rows, read one by one: CSV (RFC 4180), GeoJSON (RFC 7946, as a FeatureCollection or one
 * feature a line), JSON objects one a line. Whatever the format, a row is fields with names, and
 * knows where it stood.
 */
#ifndef MAPDIARY_ROWS_ROWS_H
#define MAPDIARY_ROWS_ROWS_H

#include <stdbool.h>

#include "base/arena.h"
#include "rows/input.h"

/* A column of CSV, by its name in the header; a member of a JSON object, by its path in the row:
 * "properties.name", "geometry.coordinates.0". JSON's null is a field that is not there. */
struct field {
    const char *name;
    const char *text;
    const char *fault; /* why it is no text; NULL of a good one. Then the text is one that nothing
                        * takes. */
    int64_t line;      /* where it starts, from 1, and so its column in bytes */
    int64_t column;
};

struct row {
    int64_t line, column;
    const struct field *fields;
    size_t count;
    const char *fault; /* why it is no row at all; NULL of a good one. A row with a fault may have
                        * other fields than the header, and fields that are no text. */
    bool is_header;    /* the fields have the names of those of all rows that follow, no values */
};

/** Takes a row, which is gone after the call. Another status than STATUS_OK ends the reading. */
typedef enum status row_function(void *context, const struct row *row);

/* Each reads to the end. STATUS_PARAMETER_INVALID, logged as "file:line:column: reason", where what
 * follows cannot be read any more; what was read until then has been handed over. */

/** The header is handed over first. */
enum status rows_read_csv(struct input *input, row_function *function, void *context) MUST_CHECK;
/** Objects, one a line; a line that is none is a row with a fault. */
enum status rows_read_json_lines(struct input *input, row_function *function,
                                 void *context) MUST_CHECK;
/** The objects of the member "features" of one object, if the first bytes look like that; else as
 * rows_read_json_lines(). */
enum status rows_read_geojson(struct input *input, row_function *function,
                              void *context) MUST_CHECK;

/** The text of a field by its name; NULL where there is none. */
const struct field *row_find(const struct row *row, const char *name);

#endif
