#include <csv.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "rows/rows.h"

/*
 * libcsv tells no positions. So it is fed pieces that end in a comma or a line feed, and a field
 * that ends with a piece began where the field before it ended.
 */
struct csv_reading {
    struct input *input;
    row_function *function;
    void *context;
    struct arena *arena;  /* of the row */
    struct buffer names;  /* of the header, each with its NUL */
    const char **columns; /* into names */
    size_t column_count;  /* 0 while the header was not read */
    struct field *fields; /* of the row */
    size_t count, capacity;
    int64_t line, column; /* of the byte after the piece */
    int64_t row_line;     /* where the row began */
    int64_t field_line, field_column;
    const char *fault;
    enum status status;
};

static void take_field(void *bytes, size_t length, void *context)
{
    struct csv_reading *reading = context;
    if (reading->count == reading->capacity) {
        reading->capacity = reading->capacity * 2 + 16;
        reading->fields =
            memory_resized(reading->fields, reading->capacity * sizeof *reading->fields);
    }
    const char *text = length > 0 ? bytes : "";
    if (!text_is_valid(text, length))
        reading->fault =
            "not text: invalid UTF-8 or a control character (iconv -t UTF-8 converts files)";
    if (reading->count == 0)
        reading->row_line = reading->field_line;
    reading->fields[reading->count++] = (struct field){
        .text = arena_copy(reading->arena, text, length),
        .line = reading->field_line,
        .column = reading->field_column,
    };
    reading->field_line = reading->line;
    reading->field_column = reading->column;
}

/* The header has the names, which live as long as the reading. */
static void take_header(struct csv_reading *reading)
{
    size_t offset = 0;
    reading->column_count = reading->count;
    reading->columns = memory_zeroed(reading->count, sizeof *reading->columns);
    for (size_t i = 0; i < reading->count; i++) {
        const char *name = reading->fields[i].text;
        buffer_add(&reading->names, name, strlen(name) + 1);
    }
    for (size_t i = 0; i < reading->count; i++) {
        reading->columns[i] = reading->names.data + offset;
        offset += strlen(reading->columns[i]) + 1;
    }
}

static void hand_over(struct csv_reading *reading, bool is_header)
{
    struct row row = {
        .line = reading->row_line, .column = 1, .fault = reading->fault, .is_header = is_header};
    if (reading->count != reading->column_count)
        row.fault = arena_format(reading->arena, "%zu fields, but the header has %zu",
                                 reading->count, reading->column_count);
    for (size_t i = 0; i < reading->count; i++)
        reading->fields[i].name = i < reading->column_count ? reading->columns[i] : "";
    row.fields = reading->fields;
    row.count = reading->count;
    reading->status = reading->function(reading->context, &row);
}

static void take_row(int end, void *context)
{
    struct csv_reading *reading = context;
    (void)end;
    bool is_header = reading->column_count == 0;
    if (is_header)
        take_header(reading);
    if (reading->status == STATUS_OK)
        hand_over(reading, is_header);
    reading->count = 0;
    reading->fault = NULL;
    input_end_row(reading->input);
    arena_reset(reading->arena);
    reading->field_line = reading->line;
    reading->field_column = reading->column;
}

/* Blanks are part of a field: RFC 4180, section 2, 4. */
static int is_never_blank(unsigned char byte)
{
    (void)byte;
    return 0;
}

static enum status complain(struct csv_reading *reading, size_t offset, const char *reason)
{
    return input_complain(reading->input, reading->line, reading->column + (int64_t)offset, reason);
}

/* Rows end in a line feed, with a carriage return before it or without; libcsv takes either, or
 * both, so that a bare carriage return in a field without quotes ends a row too. */
static enum status feed(struct csv_reading *reading, struct csv_parser *parser, const char *piece,
                        size_t length)
{
    int64_t line = reading->line, column = reading->column;
    bool ends_line = piece[length - 1] == '\n';
    reading->line += ends_line;
    reading->column = ends_line ? 1 : column + (int64_t)length;
    size_t used = csv_parse(parser, piece, length, take_field, take_row, reading);
    if (used == length)
        return reading->status;
    reading->line = line;
    reading->column = column;
    return complain(reading, used, "a quote where none may stand");
}

static enum status feed_line(struct csv_reading *reading, struct csv_parser *parser,
                             const struct buffer *line)
{
    enum status status = STATUS_OK;
    for (size_t at = 0; at < line->length && status == STATUS_OK;) {
        const char *comma = memchr(line->data + at, ',', line->length - at);
        size_t length = comma != NULL ? (size_t)(comma - line->data) + 1 - at : line->length - at;
        status = feed(reading, parser, line->data + at, length);
        at += length;
    }
    return status;
}

static enum status read_all(struct csv_reading *reading, struct csv_parser *parser)
{
    struct buffer line = {0};
    enum status status = STATUS_OK;
    do {
        status = input_read_line(reading->input, &line);
        if (status == STATUS_OK)
            status = feed_line(reading, parser, &line);
    } while (status == STATUS_OK && line.length > 0);
    buffer_free(&line);
    if (status == STATUS_OK && csv_fini(parser, take_field, take_row, reading) != 0)
        return input_complain(reading->input, reading->field_line, reading->field_column,
                              "the quote that begins here is never closed");
    return status != STATUS_OK ? status : reading->status;
}

enum status rows_read_csv(struct input *input, row_function *function, void *context)
{
    struct csv_parser parser;
    struct csv_reading reading = {
        .input = input,
        .function = function,
        .context = context,
        .arena = arena_new(),
        .line = 1,
        .column = 1,
        .field_line = 1,
        .field_column = 1,
    };
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        abort();
    csv_set_space_func(&parser, is_never_blank);
    enum status status = read_all(&reading, &parser);
    csv_free(&parser);
    arena_free(&reading.arena);
    buffer_free(&reading.names);
    free(reading.columns);
    free(reading.fields);
    return status;
}
