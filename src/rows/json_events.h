/*
 * JSON as rows of fields: what yajl calls, https://lloyd.github.io/yajl/. For rows/json.c
 * alone.
 */
#ifndef MAPDIARY_ROWS_JSON_EVENTS_H
#define MAPDIARY_ROWS_JSON_EVENTS_H

#include <yajl/yajl_parse.h>

#include "rows/json_escapes.h"
#include "rows/rows.h"

enum {
    DEPTH_MOST = 64, /* of a document */
    PATH_MOST = 3    /* of the fields of a row: "geometry.coordinates.0" */
};

/* A map or an array that is open. */
struct container {
    bool map;
    bool features;      /* the array of that name in the outermost map */
    bool crs;           /* the map of that name there */
    int64_t count;      /* of what an array has so far */
    size_t path_length; /* up to its name */
};

struct json_reading {
    struct input *input;
    row_function *function;
    void *context;
    yajl_handle parser;
    bool document; /* rows are the items of "features"; else what is outermost */
    struct container open[DEPTH_MOST];
    int depth;
    int row_depth;      /* that the row's own map has; 0 outside of rows */
    struct buffer path; /* of the value that comes next */
    struct buffer key;  /* the last one of the outermost map */
    struct arena *arena;
    struct field *fields;
    size_t count, capacity;
    const char *chunk;
    struct json_escapes escapes;
    size_t counted;       /* bytes of the chunk up to which lines and escapes were read */
    int64_t line, column; /* there */
    int64_t row_line, row_column;
    enum status status;
};

/** Makes a parser for one value. */
void json_start(struct json_reading *reading);
/** Counts lines and reads escapes up to where the parser stands in its chunk. */
void json_locate(struct json_reading *reading);
/** Tells the parser that nothing more comes. */
yajl_status json_finish(struct json_reading *reading);
/** Why the parser stopped, in the arena of the row. */
const char *json_fault(struct json_reading *reading, yajl_status outcome);

#endif
