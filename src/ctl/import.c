#include "ctl/import.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "ctl/groups.h"
#include "store/photo_file.h"

enum { BLOCK = 1 << 16 };

/* Rows --------------------------------------------------------------------------------------- */

/* An identifier, or a source. */
static const struct value_type name_type = {VALUE_LINE, LINE_RANGE};

static bool is_name(const char *text)
{
    struct typed_value value;
    return value_read_bytes(&name_type, text, &value) == STATUS_OK;
}

static struct row_fault wrong_name(struct import *import, const struct row *row, const char *column)
{
    struct buffer reason = {0};
    struct row_fault fault = import_row_wrong(&import->reader, row, NULL, column,
                                              value_refusal(&name_type, NULL, &reason));
    buffer_free(&reason);
    return fault;
}

static enum status reject(struct import *import, const struct row *row,
                          const struct row_fault *fault)
{
    enum status status = rejects_begin(&import->rejects, fault->line, fault->column, fault->reason);
    if (status != STATUS_OK)
        return status;
    const struct field *id = import_row_find(&import->reader, row, "id");
    rejects_add(&import->rejects, id != NULL && id->fault == NULL ? id->text : NULL);
    const char *source = import_row_source(&import->reader, row);
    rejects_add(&import->rejects, is_name(source) ? source : NULL);
    for (size_t i = 0; import->reader.columns[i].name != NULL; i++)
        rejects_add(&import->rejects, import->reader.texts[i]);
    for (size_t i = 0; i < row->count; i++)
        if (*row->fields[i].name == '\0') /* behind the last column */
            rejects_add(&import->rejects, row->fields[i].text);
    rejects_end_row(&import->rejects);
    return STATUS_OK;
}

static enum status file_failed(void)
{
    log_error("a temporary file: %s", strerror(errno));
    return STATUS_INTERNAL;
}

static enum status keep(struct import *import)
{
    const struct buffer *staged = &import->staged;
    size_t written = fwrite(staged->data, 1, staged->length, import->kept);
    return written == staged->length ? STATUS_OK : file_failed();
}

static enum status send_staged(struct import *import)
{
    struct buffer *staged = &import->staged;
    enum status status = import->kept != NULL
                             ? keep(import)
                             : db_copy_write(import->run->db, staged->data, staged->length);
    buffer_reset(staged, 4 * BLOCK);
    return status;
}

static enum status stage(struct import *import, const struct row *row, const char *source,
                         const char *identifier, const struct photo_upload *upload)
{
    db_copy_add_integer(&import->staged, import->rows);
    db_copy_add_integer(&import->staged, row->line);
    db_copy_add_integer(&import->staged, row->column);
    db_copy_add_value(&import->staged, source);
    db_copy_add_value(&import->staged, identifier);
    for (size_t i = 0; import->reader.columns[i].name != NULL; i++)
        db_copy_add_value(&import->staged, import->reader.texts[i]);
    if (import->kind == IMPORT_PHOTOS)
        import_files_stage(&import->staged, upload);
    db_copy_end_row(&import->staged);
    return import->staged.length < BLOCK ? STATUS_OK : send_staged(import);
}

/* The name of a row's file, or NULL. */
static const char *file_of(const struct import *import)
{
    const struct parameter *columns = import->reader.columns;
    for (size_t i = 0; import->kind == IMPORT_PHOTOS && columns[i].name != NULL; i++)
        if (strcmp(columns[i].name, "file") == 0)
            return import->reader.texts[i];
    return NULL;
}

/* A file is made before its row is looked at by the database. */
static enum status make_and_stage(struct import *import, const struct row *row, const char *source,
                                  const char *identifier)
{
    struct photo_upload upload;
    const char *file = file_of(import);
    if (file == NULL)
        return stage(import, row, source, identifier, NULL);
    enum status status = import_files_make(&import->files, &import->run->config, file,
                                           import->reader.arena, &upload);
    if (status == STATUS_OK)
        return stage(import, row, source, identifier, &upload);
    if (status == STATUS_UNAVAILABLE)
        return status;
    struct row_fault fault =
        import_row_wrong(&import->reader, row, NULL, "file", status_text(status));
    return reject(import, row, &fault);
}

/* What is wrong with it is wrong with all rows. */
static enum status take_header(struct import *import, const struct row *header)
{
    struct row_fault fault = import_row_check_header(&import->reader, header);
    return fault.reason == NULL
               ? STATUS_OK
               : input_complain(&import->input, fault.line, fault.column, fault.reason);
}

static enum status take_row(void *context, const struct row *row)
{
    struct import *import = context;
    arena_reset(import->reader.arena);
    if (row->is_header)
        return take_header(import, row);
    import->rows++;
    progress_show(&import->progress, import->rows, import->input.read, import->input.size);
    struct row_fault fault = import_row_read(&import->reader, row);
    if (fault.reason != NULL)
        return reject(import, row, &fault);
    const char *identifier = import_row_identify(&import->reader, row);
    const char *source = import_row_source(&import->reader, row);
    if (is_name(identifier) && is_name(source))
        return make_and_stage(import, row, source, identifier);
    fault = wrong_name(import, row, is_name(source) ? "id" : "source");
    return reject(import, row, &fault);
}

/* The whole ---------------------------------------------------------------------------------- */

static enum status read_rows(struct import *import)
{
    switch (import->format) {
    case IMPORT_CSV:
        return rows_read_csv(&import->input, take_row, import);
    case IMPORT_GEOJSON:
        return rows_read_geojson(&import->input, take_row, import);
    case IMPORT_JSON_LINES:
        return rows_read_json_lines(&import->input, take_row, import);
    }
    return STATUS_INTERNAL;
}

/* Photos take so long to be made that no transaction is open meanwhile: it would keep PostgreSQL
 * from clearing away what has died since. Whether there is a database is known at once. */
static enum status begin(struct import *import)
{
    if (import->kind != IMPORT_PHOTOS)
        return import_begin(import->run->db, import->kind);
    import->kept = tmpfile();
    return import->kept != NULL ? import_look(import->run->db) : file_failed();
}

static enum status send_kept(struct import *import)
{
    char block[BLOCK];
    size_t length;
    if (fseek(import->kept, 0, SEEK_SET) != 0)
        return file_failed();
    enum status status = import_begin(import->run->db, import->kind);
    while (status == STATUS_OK && (length = fread(block, 1, sizeof block, import->kept)) > 0)
        status = db_copy_write(import->run->db, block, length);
    return status == STATUS_OK && ferror(import->kept) ? file_failed() : status;
}

static enum status send_rows(struct import *import)
{
    struct db *db = import->run->db;
    enum status status = read_rows(import);
    if (status == STATUS_OK && import->staged.length > 0)
        status = send_staged(import);
    if (status == STATUS_OK && import->kept != NULL)
        status = send_kept(import);
    if (status == STATUS_OK) {
        progress_stage(&import->progress, "checking");
        return import_check(db, import->kind, rejects_add_line, &import->rejects);
    }
    if (status == STATUS_PARAMETER_INVALID && import->kept == NULL &&
        (db_copy_end(db, "the input cannot be read") != STATUS_OK ||
         import_abandon(db) != STATUS_OK))
        log_error("the database did not take it back in good order");
    return status;
}

static void show(struct import *import, const struct import_counts *counts)
{
    struct output *out = import->run->out;
    int64_t rejected = import->rejects.count;
    output_object(out, NULL);
    output_integer(out, "rows", import->rows);
    output_integer(out, "added", counts->added);
    output_integer(out, "changed", counts->changed);
    output_integer(out, "unchanged", import->rows - rejected - counts->added - counts->changed);
    output_integer(out, "rejected", rejected);
    output_text(out, "rejects", rejected > 0 ? import->rejects.path : NULL);
    output_decimal(out, "seconds",
                   arena_format(import->reader.arena, "%.3f", progress_seconds(&import->progress)));
    output_end(out);
}

static int refuse(struct import *import)
{
    log_error("%s: %lld of %lld rows were rejected, so nothing was imported; see %s",
              import->input.name, (long long)import->rejects.count, (long long)import->rows,
              import->rejects.path);
    enum status status = import_abandon(import->run->db);
    return status == STATUS_OK ? EXIT_DATA : (int)exit_status_of(status);
}

static void show_stored(void *context, int64_t rows)
{
    struct import *import = context;
    progress_show(&import->progress, rows, rows, import->rows);
}

static int finish(struct import *import)
{
    struct import_counts counts = {0};
    bool strict = import->run->values[IMPORT_STRICT].text != NULL;
    if (strict && import->rejects.count > 0)
        return refuse(import);
    progress_stage(&import->progress, "storing");
    enum status status =
        import_finish(import->run->db, import->kind, import->rows, show_stored, import, &counts);
    if (status == STATUS_OK)
        status = import_files_measure(&import->files, import->run->batch);
    progress_end(&import->progress);
    if (status != STATUS_OK)
        return (int)exit_status_of(status);
    show(import, &counts);
    if (import->rejects.count == 0)
        return EXIT_DONE;
    log_error("%s: %lld of %lld rows were rejected; see %s", import->input.name,
              (long long)import->rejects.count, (long long)import->rows, import->rejects.path);
    return EXIT_DATA;
}

static int carry_out(struct import *import)
{
    progress_start(&import->progress, import->run->command->name, "reading");
    enum status status =
        import->kind == IMPORT_PHOTOS ? photo_file_hold(import->run->batch) : STATUS_OK;
    if (status == STATUS_OK)
        status = begin(import);
    if (status == STATUS_OK)
        status = send_rows(import);
    if (status == STATUS_OK)
        status = rejects_close(&import->rejects);
    if (status != STATUS_OK) {
        progress_end(&import->progress);
        if (rejects_close(&import->rejects) != STATUS_OK)
            return EXIT_FAILED;
        return status == STATUS_PARAMETER_INVALID ? EXIT_DATA : (int)exit_status_of(status);
    }
    return finish(import);
}

static int import_things(struct invocation *run, enum import_kind kind)
{
    struct import import = {.run = run, .kind = kind, .reader.arena = arena_new()};
    enum status status = import_prepare(&import);
    int exit_status = status == STATUS_OK ? carry_out(&import) : (int)exit_status_of(status);
    import_files_close(&import.files);
    input_close(&import.input);
    if (import.kept != NULL)
        fclose(import.kept);
    buffer_free(&import.staged);
    arena_free(&import.reader.arena);
    return exit_status;
}

#define IMPORT_RUN(name, kind)              \
    static int name(struct invocation *run) \
    {                                       \
        return import_things(run, kind);    \
    }

IMPORT_RUN(import_users, IMPORT_USERS)
IMPORT_RUN(import_pois, IMPORT_POIS)
IMPORT_RUN(import_albums, IMPORT_ALBUMS)
IMPORT_RUN(import_blogs, IMPORT_BLOGS)
IMPORT_RUN(import_photos, IMPORT_PHOTOS)
IMPORT_RUN(import_comments, IMPORT_COMMENTS)

#define IMPORT_COMMAND(command, text, function, row)                                         \
    {.name = (command),                                                                      \
     .summary = (text),                                                                      \
     .details =                                                                              \
         "An album, poi, blog or reply is named by its id in the same source, or by # and\n" \
         "its number here: #7. An export of mapdiaryctl names its sources itself: another\n" \
         "mapdiary takes each thing once, and the mapdiary of the export changes nothing.",  \
     .parameters = import_parameters,                                                        \
     .columns = (row),                                                                       \
     .shows = SHOWS_ONE,                                                                     \
     .run = (function)}

const struct command import_commands[] = {
    IMPORT_COMMAND("users", "import users", import_users, import_user_columns),
    IMPORT_COMMAND("pois", "import points of interest", import_pois, import_poi_columns),
    IMPORT_COMMAND("albums", "import albums", import_albums, import_album_columns),
    IMPORT_COMMAND("blogs", "import blogs; they earn no reward", import_blogs, import_blog_columns),
    IMPORT_COMMAND("photos", "import photos of albums and points of interest", import_photos,
                   import_photo_columns),
    IMPORT_COMMAND("comments", "import comments with their answers", import_comments,
                   import_comment_columns),
    COMMANDS_END,
};
