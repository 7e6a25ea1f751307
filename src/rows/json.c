#include <stdlib.h>
#include <string.h>

#include "rows/json_events.h"

/* Documents ---------------------------------------------------------------------------------- */

static enum status refuse_document(struct json_reading *reading, yajl_status outcome)
{
    if (reading->status != STATUS_OK)
        return reading->status;
    json_locate(reading);
    return input_complain(reading->input, reading->line, reading->column,
                          json_fault(reading, outcome));
}

static enum status read_document(struct json_reading *reading)
{
    size_t length = 0;
    json_start(reading);
    do {
        enum status status = input_peek(reading->input, &reading->chunk, &length);
        if (status != STATUS_OK)
            return status;
        reading->counted = 0;
        yajl_status outcome =
            yajl_parse(reading->parser, (const unsigned char *)reading->chunk, length);
        if (outcome != yajl_status_ok)
            return refuse_document(reading, outcome);
        json_locate(reading);
        input_take(reading->input, length);
    } while (length > 0);
    yajl_status outcome = json_finish(reading);
    return outcome == yajl_status_ok
               ? STATUS_OK
               : input_complain(reading->input, reading->line, reading->column,
                                json_fault(reading, outcome));
}

/* Lines -------------------------------------------------------------------------------------- */

static enum status hand_over_fault(struct json_reading *reading, int64_t line, const char *fault)
{
    struct row row = {.line = line, .column = reading->column, .fault = fault};
    return reading->function(reading->context, &row);
}

static enum status read_object(struct json_reading *reading, const char *text, size_t length)
{
    int64_t line = reading->line;
    reading->chunk = text;
    reading->counted = 0;
    reading->column = 1;
    json_start(reading);
    yajl_status outcome = yajl_parse(reading->parser, (const unsigned char *)text, length);
    json_locate(reading);
    if (outcome == yajl_status_ok)
        outcome = json_finish(reading);
    if (outcome != yajl_status_ok && reading->status == STATUS_OK) {
        reading->status = hand_over_fault(reading, line, json_fault(reading, outcome));
    }
    yajl_free(reading->parser);
    reading->parser = NULL;
    reading->line = line + 1;
    return reading->status;
}

/* The record separator before each line is that of RFC 8142. */
static enum status read_lines(struct json_reading *reading)
{
    struct buffer line = {0};
    enum status status = STATUS_OK;
    do {
        status = input_read_line(reading->input, &line);
        size_t skipped = line.length > 0 && line.data[0] == '\x1e' ? 1 : 0;
        bool blank = line.length == skipped + strspn(line.data + skipped, " \t\r\n");
        if (status == STATUS_OK && !blank)
            status = read_object(reading, line.data + skipped, line.length - skipped);
        else
            reading->line++;
        input_end_row(reading->input);
    } while (status == STATUS_OK && line.length > 0);
    buffer_free(&line);
    return status;
}

/* -------------------------------------------------------------------------------------------- */

static enum status read_json(struct input *input, bool document, row_function *function,
                             void *context)
{
    struct json_reading reading = {
        .input = input,
        .function = function,
        .context = context,
        .document = document,
        .arena = arena_new(),
        .line = 1,
        .column = 1,
    };
    enum status status = document ? read_document(&reading) : read_lines(&reading);
    if (reading.parser != NULL)
        yajl_free(reading.parser);
    arena_free(&reading.arena);
    buffer_free(&reading.path);
    buffer_free(&reading.key);
    free(reading.fields);
    return status;
}

enum status rows_read_json_lines(struct input *input, row_function *function, void *context)
{
    return read_json(input, false, function, context);
}

enum status rows_read_geojson(struct input *input, row_function *function, void *context)
{
    static const char collection[] = "\"FeatureCollection\"";
    const char *bytes = NULL;
    size_t length = 0;
    enum status status = input_peek(input, &bytes, &length);
    if (status != STATUS_OK)
        return status;
    bool document = memmem(bytes, length, collection, strlen(collection)) != NULL;
    return read_json(input, document, function, context);
}

const struct field *row_find(const struct row *row, const char *name)
{
    for (size_t i = 0; i < row->count; i++)
        if (strcmp(row->fields[i].name, name) == 0)
            return &row->fields[i];
    return NULL;
}
