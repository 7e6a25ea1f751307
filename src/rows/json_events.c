#include "rows/json_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

void json_locate(struct json_reading *reading)
{
    size_t here = yajl_get_bytes_consumed(reading->parser);
    const char *from = reading->chunk + reading->counted;
    json_escapes_read(&reading->escapes, from, here - reading->counted);
    for (const char *feed; (feed = memchr(from, '\n', (size_t)(reading->chunk + here - from)));
         from = feed + 1) {
        reading->line++;
        reading->column = 1;
    }
    reading->column += reading->chunk + here - from;
    reading->counted = here;
}

/* yajl ends a number that stands last by a chunk of its own, a blank. */
yajl_status json_finish(struct json_reading *reading)
{
    reading->chunk = " ";
    reading->counted = 0;
    return yajl_complete_parse(reading->parser);
}

static void set_path(struct json_reading *reading, const char *name, size_t length)
{
    const struct container *in = &reading->open[reading->depth - 1];
    reading->path.length = in->path_length;
    if (in->path_length > 0)
        buffer_add(&reading->path, ".", 1);
    buffer_add(&reading->path, name, length);
}

/* The path of the next item of an array is its number. */
static void name_item(struct json_reading *reading)
{
    char digits[24];
    struct container *in = &reading->open[reading->depth - 1];
    if (reading->row_depth == 0 || in->map || reading->depth - reading->row_depth >= PATH_MOST)
        return;
    int length = snprintf(digits, sizeof digits, "%lld", (long long)in->count++);
    set_path(reading, digits, (size_t)length);
}

/* U+0000 is no character of ours: what follows it must not go in silence. */
static const char *find_fault(const struct json_reading *reading, const char *text, size_t length)
{
    if (reading->escapes.alone)
        return "not text: a surrogate (\\ud800 to \\udfff) that is alone";
    return memchr(text, '\0', length) != NULL ? "not text: it has U+0000" : NULL;
}

/* The marks around a text are not in its length. Escapes within it make it seem to start later. */
static void add_field(struct json_reading *reading, const char *text, size_t length, int marks)
{
    if (reading->count == reading->capacity) {
        reading->capacity = reading->capacity * 2 + 32;
        reading->fields =
            memory_resized(reading->fields, reading->capacity * sizeof *reading->fields);
    }
    const char *fault = find_fault(reading, text, length);
    reading->fields[reading->count++] = (struct field){
        .name = arena_copy(reading->arena, reading->path.data, reading->path.length),
        .text = fault != NULL ? "\x01" : arena_copy(reading->arena, text, length),
        .fault = fault,
        .line = reading->line,
        .column = reading->column - (int64_t)length - marks,
    };
}

static int take_value(struct json_reading *reading, const char *text, size_t length, int marks)
{
    if (reading->row_depth == 0)
        return reading->document || reading->depth > 0;
    json_locate(reading);
    name_item(reading);
    if (reading->depth - reading->row_depth < PATH_MOST && text != NULL)
        add_field(reading, text, length, marks);
    reading->escapes.alone = false;
    return 1;
}

static int take_null(void *context)
{
    return take_value(context, NULL, 0, 0);
}

static int take_boolean(void *context, int value)
{
    return take_value(context, value ? "true" : "false", value ? 4 : 5, 0);
}

static int take_number(void *context, const char *text, size_t length)
{
    return take_value(context, text, length, 0);
}

static bool is_key(const struct json_reading *reading, const char *name)
{
    return reading->key.length == strlen(name) &&
           memcmp(reading->key.data, name, reading->key.length) == 0;
}

/* GeoJSON of 2008 may name the system of its coordinates: { "crs": { "properties": { "name": … } }
 * }. RFC 7946, section 4, knows WGS 84 alone. */
static bool is_name_of_crs(const struct json_reading *reading)
{
    return reading->document && reading->row_depth == 0 && reading->depth == 3 &&
           reading->open[1].crs && is_key(reading, "name");
}

static bool is_wgs84(const char *name)
{
    static const char code[] = ":4326";
    size_t length = strlen(name);
    return strstr(name, "CRS84") != NULL || strstr(name, "WGS84") != NULL ||
           (length >= strlen(code) && strcmp(name + length - strlen(code), code) == 0);
}

/* 0 ends the reading. */
static int take_crs(struct json_reading *reading, const unsigned char *text, size_t length)
{
    char *name = arena_copy(reading->arena, text, length);
    if (is_wgs84(name))
        return 1;
    text_make_printable(name, length);
    json_locate(reading);
    reading->status = input_complain(
        reading->input, reading->line, reading->column,
        arena_format(reading->arena,
                     "the coordinates are in %.100s, and not in WGS 84; first convert the file: "
                     "ogr2ogr -t_srs EPSG:4326 converted.geojson FILE",
                     name));
    return 0;
}

static int take_string(void *context, const unsigned char *text, size_t length)
{
    if (is_name_of_crs(context))
        return take_crs(context, text, length);
    return take_value(context, length > 0 ? (const char *)text : "", length, 2);
}

static int take_key(void *context, const unsigned char *key, size_t length)
{
    struct json_reading *reading = context;
    const char *name = length > 0 ? (const char *)key : "";
    if (reading->row_depth > 0 && reading->depth - reading->row_depth < PATH_MOST)
        set_path(reading, name, length);
    if (reading->row_depth == 0) {
        reading->key.length = 0;
        buffer_add(&reading->key, name, length);
    }
    return 1;
}

static bool is_row(const struct json_reading *reading)
{
    if (reading->row_depth > 0)
        return false;
    return reading->document ? reading->depth == 2 && reading->open[1].features
                             : reading->depth == 0;
}

static int open_container(struct json_reading *reading, bool map)
{
    bool row = map && is_row(reading);
    if (reading->depth == DEPTH_MOST || (!reading->document && reading->depth == 0 && !map))
        return 0;
    if (reading->row_depth > 0)
        name_item(reading);
    struct container *opened = &reading->open[reading->depth++];
    *opened = (struct container){
        .map = map,
        .path_length = reading->row_depth > 0 ? reading->path.length : 0,
        .features =
            !map && reading->depth == 2 && reading->row_depth == 0 && is_key(reading, "features"),
        .crs = map && reading->depth == 2 && reading->row_depth == 0 && is_key(reading, "crs"),
    };
    if (row) {
        json_locate(reading);
        reading->escapes.alone = false;
        reading->row_depth = reading->depth;
        reading->row_line = reading->line;
        reading->row_column = reading->column - 1;
        reading->path.length = 0;
    }
    return 1;
}

static int open_map(void *context)
{
    return open_container(context, true);
}

static int open_array(void *context)
{
    return open_container(context, false);
}

static int close_container(void *context)
{
    struct json_reading *reading = context;
    if (reading->depth-- != reading->row_depth)
        return 1;
    struct row row = {
        .line = reading->row_line,
        .column = reading->row_column,
        .fields = reading->fields,
        .count = reading->count,
    };
    reading->row_depth = 0;
    reading->status = reading->function(reading->context, &row);
    reading->count = 0;
    arena_reset(reading->arena);
    input_end_row(reading->input);
    return reading->status == STATUS_OK;
}

static const yajl_callbacks callbacks = {
    .yajl_null = take_null,
    .yajl_boolean = take_boolean,
    .yajl_number = take_number,
    .yajl_string = take_string,
    .yajl_start_map = open_map,
    .yajl_map_key = take_key,
    .yajl_end_map = close_container,
    .yajl_start_array = open_array,
    .yajl_end_array = close_container,
};

void json_start(struct json_reading *reading)
{
    reading->parser = yajl_alloc(&callbacks, NULL, reading);
    reading->depth = reading->row_depth = 0;
    reading->escapes = (struct json_escapes){0};
    reading->count = 0;
    arena_reset(reading->arena);
}

/* yajl's own words end in a line feed. */
const char *json_fault(struct json_reading *reading, yajl_status outcome)
{
    if (outcome == yajl_status_client_canceled)
        return "nested too deep, or not an object";
    unsigned char *words = yajl_get_error(reading->parser, 0, NULL, 0);
    size_t length = strcspn((const char *)words, "\n");
    const char *fault = arena_copy(reading->arena, words, length);
    yajl_free_error(reading->parser, words);
    return fault;
}
