/*
 * Rows of an import. The first byte says of which kind and format the file is that follows. What is
 * taken of a row is text, what its columns allow, and one line for COPY, which PostgreSQL reads
 * back as it was.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "db/copy.h"
#include "fuzz.h"
#include "rows/row.h"

typedef enum status read_function(struct input *input, row_function *function, void *context);

static read_function *const formats[] = {rows_read_csv, rows_read_geojson, rows_read_json_lines};
enum { FORMATS = sizeof formats / sizeof *formats, GEOJSON = 1 };

static const struct parameter *const kinds[] = {import_user_columns,  import_poi_columns,
                                                import_album_columns, import_blog_columns,
                                                import_photo_columns, import_comment_columns};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A value of the text format of COPY, as PostgreSQL reads it: NULL for \N. */
static const char *unescaped(const char *start, const char *end, struct arena *arena)
{
    static const char letters[] = "\\tnr", meant[] = "\\\t\n\r";
    if (end - start == 2 && memcmp(start, "\\N", 2) == 0)
        return NULL;
    char *text = arena_take(arena, (size_t)(end - start) + 1), *out = text;
    for (; start < end; start++) {
        if (*start != '\\') {
            *out++ = *start;
            continue;
        }
        const char *letter = ++start < end ? strchr(letters, *start) : NULL;
        REQUIRE(letter != NULL);
        *out++ = meant[letter - letters];
    }
    return text;
}

/* TABs stand between the values and a line feed at the end, and nowhere else. */
static void require_line(const struct buffer *line, const char *const *texts, size_t count,
                         struct arena *arena)
{
    const char *at = line->data, *end = line->data + line->length;
    for (size_t i = 0; i < count; i++) {
        const char *stop = at;
        while (stop < end && *stop != '\t' && *stop != '\n')
            stop++;
        REQUIRE(stop < end && *stop == (i + 1 < count ? '\t' : '\n'));
        const char *text = unescaped(at, stop, arena);
        REQUIRE((text == NULL) == (texts[i] == NULL));
        REQUIRE(text == NULL || strcmp(text, texts[i]) == 0);
        at = stop + 1;
    }
    REQUIRE(at == end);
}

static void require_allowed(const struct import_reader *reader, size_t i)
{
    struct typed_value value;
    const char *text = reader->texts[i];
    REQUIRE(text != NULL || !reader->columns[i].required);
    if (text == NULL)
        return;
    REQUIRE(text_is_valid(text, strlen(text)));
    REQUIRE(value_read(&reader->columns[i].type, text, &value) == STATUS_OK);
}

static enum status take_row(void *context, const struct row *row)
{
    struct import_reader *reader = context;
    struct buffer line = {0};
    size_t count = 0;
    if (row->is_header)
        return import_row_check_header(reader, row).reason == NULL ? STATUS_OK
                                                                   : STATUS_PARAMETER_INVALID;
    struct row_fault fault = import_row_read(reader, row);
    if (fault.reason == NULL) {
        const char *identifier = import_row_identify(reader, row);
        REQUIRE(identifier != NULL && *identifier != '\0');
        for (; reader->columns[count].name != NULL; count++) {
            require_allowed(reader, count);
            db_copy_add_value(&line, reader->texts[count]);
        }
        db_copy_end_row(&line);
        require_line(&line, reader->texts, count, reader->arena);
    } else {
        REQUIRE(*fault.reason != '\0' && fault.line >= 0);
    }
    buffer_free(&line);
    arena_reset(reader->arena);
    return STATUS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input;
    char path[64];
    int choice = size > 0 ? data[0] : 0, format = choice % FORMATS;
    size_t skipped = size > 0 ? 1 : 0;
    struct import_reader reader = {.columns = kinds[choice / FORMATS % KINDS],
                                   .geojson = format == GEOJSON,
                                   .owner = choice >= 128 ? "owner@example.org" : NULL,
                                   .arena = arena_new()};
    log_set_level((enum log_level)0); /* nothing */
    int file = memfd_create("rows", MFD_CLOEXEC);
    REQUIRE(file >= 0 && write(file, data + skipped, size - skipped) == (ssize_t)(size - skipped));
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    REQUIRE(input_open(&input, path) == STATUS_OK);
    enum status status = formats[format](&input, take_row, &reader);
    REQUIRE(status == STATUS_OK || status == STATUS_PARAMETER_INVALID);
    input_close(&input);
    close(file);
    arena_free(&reader.arena);
    return 0;
}
