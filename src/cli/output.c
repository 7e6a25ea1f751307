#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "document/json.h"

enum { DEPTH_MOST = 8 };

struct level {
    bool list;
    int count; /* of what is in it so far */
};

struct output {
    FILE *file;
    enum output_form form;
    struct json json;
    bool table;                          /* for people, and the outermost thing is a list */
    struct level levels[DEPTH_MOST + 1]; /* from the document itself to what was started last */
    int depth;
    struct buffer names; /* the first line of a table */
    struct buffer line;  /* the one that is being made; or JSON that was not written yet */
};

struct output *output_new(FILE *file, enum output_form form)
{
    struct output *out = memory_zeroed(1, sizeof *out);
    out->file = file;
    out->form = form;
    out->json = json_new(&out->line);
    if (form == OUTPUT_JSON)
        json_indent(&out->json);
    return out;
}

void output_free(struct output **out)
{
    json_free(&(*out)->json);
    buffer_free(&(*out)->names);
    buffer_free(&(*out)->line);
    free(*out);
    *out = NULL;
}

enum status output_finish(struct output **out)
{
    FILE *file = (*out)->file;
    bool good = fflush(file) == 0 && ferror(file) == 0;
    if (!good)
        log_error("standard output: %s", strerror(errno));
    output_free(out);
    return good ? STATUS_OK : STATUS_INTERNAL;
}

/* Outside of its texts JSON is ASCII; so what drives a terminal stands in one, where yajl leaves
 * all that need not be escaped (RFC 8259, section 7) as it is. Line feeds are between the values.
 */
static void write_for_terminal(const char *text, FILE *file)
{
    uint32_t code = 0;
    bool controls = false;
    for (size_t used; *text != '\0'; text += used) {
        used = text_next(text, &code, &controls);
        if (controls && code != '\n')
            fprintf(file, "\\u%04x", (unsigned int)code);
        else
            fwrite(text, 1, used, file);
    }
}

static void write_json(struct output *out)
{
    buffer_add(&out->line, "", 1);
    if (out->form == OUTPUT_JSON)
        write_for_terminal(out->line.data, out->file);
    else
        fputs(out->line.data, out->file);
    buffer_reset(&out->line, 65536);
}

static struct level *level(struct output *out)
{
    return &out->levels[out->depth];
}

/* What stands before a value. A list's items hang on a dash, two columns before their fields. */
static void start_text(struct output *out, const char *name)
{
    bool first = level(out)->count++ == 0;
    if (out->table || out->depth == 0 || name == NULL)
        return;
    bool dashed = first && out->levels[out->depth - 1].list;
    fprintf(out->file, "%*s%s%s:", 2 * (out->depth - 1) - (dashed ? 2 : 0), "", dashed ? "- " : "",
            name);
}

static void open_text(struct output *out, const char *name, bool list)
{
    out->table = out->table || (list && out->depth == 0);
    start_text(out, name);
    if (!out->table && name != NULL)
        fputc('\n', out->file);
}

static void open_json(struct output *out, const char *name, bool list)
{
    if (list)
        json_array(&out->json, name);
    else
        json_object(&out->json, name);
}

static void open_level(struct output *out, const char *name, bool list)
{
    if (out->depth == DEPTH_MOST)
        abort();
    if (out->form != OUTPUT_TEXT)
        open_json(out, name, list);
    else
        open_text(out, name, list);
    out->levels[++out->depth] = (struct level){.list = list};
}

void output_object(struct output *out, const char *name)
{
    open_level(out, name, false);
}

void output_list(struct output *out, const char *name)
{
    open_level(out, name, true);
}

/* The names come with the first item, so a table without any is empty. */
static void end_table_line(struct output *out)
{
    if (level(out)->count == 1)
        fprintf(out->file, "%.*s\n", (int)out->names.length, out->names.data);
    fprintf(out->file, "%.*s\n", (int)out->line.length, out->line.data);
    buffer_reset(&out->names, 65536);
    buffer_reset(&out->line, 65536);
}

static void end_json(struct output *out, bool list)
{
    if (list)
        json_end_array(&out->json);
    else
        json_end_object(&out->json);
    if (out->depth <= 1)
        write_json(out);
    if (out->depth == 0)
        json_restart(&out->json);
}

void output_end(struct output *out)
{
    struct level ended = out->levels[out->depth--];
    if (out->form != OUTPUT_TEXT)
        end_json(out, ended.list);
    else if (out->table && out->depth == 1)
        end_table_line(out);
}

static void add_shown(struct buffer *line, const char *text, size_t length)
{
    uint32_t code = 0;
    bool controls = false;
    const char *end = text + length;
    for (size_t used; text < end; text += used) {
        used = text_next(text, &code, &controls);
        const char *at = strchr("\tt\nn\rr\\\\", *text);
        if (at != NULL && (*text < 0x20 || *text == '\\'))
            buffer_add_format(line, "\\%c", at[1]);
        else if (controls)
            buffer_add_format(line, "\\u%04x", (unsigned int)code);
        else
            buffer_add(line, text, used);
    }
}

static void add_cell(struct output *out, const char *name, const char *text)
{
    const char *tab = level(out)->count == 1 ? "" : "\t";
    buffer_add_format(&out->names, "%s%s", tab, name);
    buffer_add_text(&out->line, tab);
    add_shown(&out->line, text, strlen(text));
}

static void write_line(struct output *out, int indentation, const char *text, size_t length)
{
    add_shown(&out->line, text, length);
    fprintf(out->file, "%*s%.*s\n", length > 0 ? indentation : 0, "", (int)out->line.length,
            out->line.data);
    buffer_reset(&out->line, 65536);
}

/* As fields of the next level stand. The line feed that ends the last line begins none. Forms end
 * lines with CR and LF. */
static void write_lines(struct output *out, const char *text)
{
    fputc('\n', out->file);
    while (*text != '\0') {
        size_t length = strcspn(text, "\n"), end = length;
        if (end > 0 && text[end] == '\n' && text[end - 1] == '\r')
            end--;
        write_line(out, 2 * out->depth, text, end);
        text += length + (text[length] == '\n');
    }
}

static void put_text(struct output *out, const char *name, const char *text)
{
    start_text(out, name);
    if (out->table)
        add_cell(out, name, text);
    else if (name != NULL && strchr(text, '\n') != NULL)
        write_lines(out, text);
    else
        write_line(out, 1, text, strlen(text));
}

/* A value: as JSON, and as people read it. */
static void put(struct output *out, const char *name, const char *text, bool quoted)
{
    if (out->form == OUTPUT_TEXT)
        put_text(out, name, text == NULL ? "" : text);
    else if (quoted)
        json_text(&out->json, name, text);
    else
        json_literal(&out->json, name, text);
}

void output_text(struct output *out, const char *name, const char *text)
{
    put(out, name, text, true);
}

void output_decimal(struct output *out, const char *name, const char *digits)
{
    put(out, name, digits, false);
}

void output_integer(struct output *out, const char *name, int64_t value)
{
    char digits[TEXT_INTEGER_SIZE];
    put(out, name, text_from_integer(value, digits), false);
}

void output_time(struct output *out, const char *name, int64_t seconds)
{
    char text[DATE_TEXT_SIZE];
    put(out, name, date_moment_text(seconds, text), true);
}

const char *output_name(const char *column)
{
    return column + strspn(column, "#?");
}

static void put_column(struct output *out, const char *column, struct db_row *row)
{
    char date[DATE_TEXT_SIZE];
    const char *name = output_name(column);
    switch (db_next_type(row)) {
    case DB_TYPE_TEXT:
        put(out, name, db_read_text(row), *column != '#');
        break;
    case DB_TYPE_INTEGER:
        output_integer(out, name, db_read_integer(row));
        break;
    case DB_TYPE_BOOLEAN:
        put(out, name, db_read_boolean(row) ? "true" : "false", false);
        break;
    case DB_TYPE_DATE:
        output_text(out, name, date_text(db_read_date(row), date));
        break;
    case DB_TYPE_TIME:
        output_time(out, name, db_read_epoch(row));
        break;
    }
}

void output_column(struct output *out, const char *column, struct db_row *row)
{
    if (!db_next_is_null(row)) {
        put_column(out, column, row);
        return;
    }
    bool is_told = *column == '?' && out->form == OUTPUT_TEXT;
    db_skip_column(row);
    put(out, output_name(column), is_told ? "unknown" : NULL, false);
}

/* A column without a name, or a name without a column, is a fault of the program. */
void output_columns(struct output *out, const char *const *columns, struct db_row *row)
{
    for (; *columns != NULL; columns++)
        output_column(out, *columns, row);
    if (db_columns_left(row) != 0)
        abort();
}

static void put_row(struct output *out, const char *const *columns, struct db_row *row)
{
    output_object(out, NULL);
    output_columns(out, columns, row);
    output_end(out);
}

enum status output_row(void *rows, struct db_row *row)
{
    const struct output_rows *to = rows;
    put_row(to->out, to->columns, row);
    return ferror(to->out->file) ? STATUS_INTERNAL : STATUS_OK;
}

void output_list_of(struct output *out, const char *name, const char *const *columns,
                    const struct db_rows *rows)
{
    output_list(out, name);
    for (size_t i = 0; i < db_rows_count(rows); i++) {
        struct db_row row = db_row(rows, i);
        put_row(out, columns, &row);
    }
    output_end(out);
}
