#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"

enum { DEPTH_MOST = 8 };

struct level {
    bool list;
    int count; /* of what is in it so far */
};

struct output {
    FILE *file;
    bool json;
    bool table;                          /* for people, and the outermost thing is a list */
    struct level levels[DEPTH_MOST + 1]; /* from the document itself to what was started last */
    int depth;
    struct buffer names; /* the first line of a table */
    struct buffer line;  /* the one that is being made */
};

struct output *output_new(FILE *file, bool json)
{
    struct output *out = memory_zeroed(1, sizeof *out);
    out->file = file;
    out->json = json;
    return out;
}

enum status output_finish(struct output **out)
{
    FILE *file = (*out)->file;
    bool good = fflush(file) == 0 && ferror(file) == 0;
    if (!good)
        log_error("standard output: %s", strerror(errno));
    buffer_free(&(*out)->names);
    buffer_free(&(*out)->line);
    free(*out);
    *out = NULL;
    return good ? STATUS_OK : STATUS_INTERNAL;
}

/* RFC 8259, section 7: the quote, the backslash and control characters must be escaped; so are all
 * others that drive a terminal. */
static void write_json_text(FILE *file, const char *text)
{
    uint32_t code = 0;
    bool controls = false;
    fputc('"', file);
    for (size_t used; *text != '\0'; text += used) {
        used = text_next(text, &code, &controls);
        if (controls)
            fprintf(file, "\\u%04x", (unsigned int)code);
        else
            fprintf(file, "%s%.*s", *text == '"' || *text == '\\' ? "\\" : "", (int)used, text);
    }
    fputc('"', file);
}

static struct level *level(struct output *out)
{
    return &out->levels[out->depth];
}

/* What stands before a value: commas, line breaks, the indentation, its name. */
static void start_json(struct output *out, const char *name)
{
    struct level *in = level(out);
    if (out->depth == 0)
        return;
    if (in->count > 0)
        fputc(',', out->file);
    fprintf(out->file, "\n%*s", 2 * out->depth, "");
    if (name != NULL) {
        write_json_text(out->file, name);
        fputs(": ", out->file);
    }
}

/* A list's items hang on a dash, two columns before their fields. */
static void start_text(struct output *out, const char *name)
{
    struct level *in = level(out);
    if (out->depth == 0 || name == NULL)
        return;
    bool dashed = in->count == 0 && out->levels[out->depth - 1].list;
    fprintf(out->file, "%*s%s%s:", 2 * (out->depth - 1) - (dashed ? 2 : 0), "", dashed ? "- " : "",
            name);
}

static void start(struct output *out, const char *name)
{
    if (out->json)
        start_json(out, name);
    else if (!out->table)
        start_text(out, name);
    level(out)->count++;
}

static void open_level(struct output *out, const char *name, bool list)
{
    if (out->depth == DEPTH_MOST)
        abort();
    out->table = out->table || (list && out->depth == 0 && !out->json);
    start(out, name);
    if (out->json)
        fputc(list ? '[' : '{', out->file);
    else if (!out->table && name != NULL)
        fputc('\n', out->file);
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

void output_end(struct output *out)
{
    struct level ended = out->levels[out->depth--];
    if (out->json && ended.count > 0)
        fprintf(out->file, "\n%*s", 2 * out->depth, "");
    if (out->json)
        fprintf(out->file, "%c%s", ended.list ? ']' : '}', out->depth == 0 ? "\n" : "");
    else if (out->table && out->depth == 1)
        end_table_line(out);
}

static void add_shown(struct buffer *line, const char *text)
{
    uint32_t code = 0;
    bool controls = false;
    for (size_t used; *text != '\0'; text += used) {
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
    add_shown(&out->line, text);
}

/* A value: as JSON, and as people read it. */
static void put(struct output *out, const char *name, const char *text, bool quoted)
{
    start(out, name);
    if (out->table) {
        add_cell(out, name, text == NULL ? "" : text);
    } else if (!out->json) {
        add_shown(&out->line, text == NULL ? "" : text);
        fprintf(out->file, "%s%.*s\n", out->line.length > 0 ? " " : "", (int)out->line.length,
                out->line.data);
        buffer_reset(&out->line, 65536);
    } else if (text == NULL) {
        fputs("null", out->file);
    } else if (quoted) {
        write_json_text(out->file, text);
    } else {
        fputs(text, out->file);
    }
}

void output_text(struct output *out, const char *name, const char *text)
{
    put(out, name, text, true);
}

void output_raw(struct output *out, const char *name, const char *json)
{
    put(out, name, json, false);
}

void output_integer(struct output *out, const char *name, int64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)value);
    put(out, name, digits, false);
}

void output_boolean(struct output *out, const char *name, bool value)
{
    put(out, name, value ? "true" : "false", false);
}

void output_time(struct output *out, const char *name, int64_t seconds)
{
    char text[32];
    struct tm utc;
    time_t moment = (time_t)seconds;
    gmtime_r(&moment, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    put(out, name, text, true);
}

void output_date(struct output *out, const char *name, struct date date)
{
    char text[DATE_TEXT_SIZE];
    put(out, name, date_text(date, text), true);
}

static void output_column(struct output *out, struct db_row *row)
{
    const char *name = db_column_name(row);
    if (db_next_is_null(row)) {
        db_skip_column(row);
        put(out, name, NULL, false);
        return;
    }
    switch (db_column_type(row)) {
    case DB_COLUMN_BOOLEAN:
        output_boolean(out, name, db_read_boolean(row));
        break;
    case DB_COLUMN_INTEGER:
        output_integer(out, name, db_read_integer(row));
        break;
    case DB_COLUMN_DATE:
        output_date(out, name, db_read_date(row));
        break;
    case DB_COLUMN_TIME:
        output_time(out, name, db_read_epoch(row));
        break;
    case DB_COLUMN_JSON:
        output_raw(out, name, db_read_text(row));
        break;
    case DB_COLUMN_TEXT:
        output_text(out, name, db_read_text(row));
        break;
    }
}

void output_fields(struct output *out, struct db_row *row)
{
    for (size_t left = db_columns_left(row); left > 0; left--)
        output_column(out, row);
}

enum status output_row(void *out, struct db_row *row)
{
    output_object(out, NULL);
    output_fields(out, row);
    output_end(out);
    return STATUS_OK;
}

void output_rows(struct output *out, const char *name, const struct db_rows *rows)
{
    output_list(out, name);
    for (size_t i = 0; i < db_rows_count(rows); i++) {
        struct db_row row = db_row(rows, i);
        (void)output_row(out, &row);
    }
    output_end(out);
}
