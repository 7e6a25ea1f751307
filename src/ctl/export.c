#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/new_file.h"
#include "ctl/archive.h"
#include "ctl/groups.h"
#include "store/export.h"

/* Things ------------------------------------------------------------------------------------- */

enum { OUTPUT, FORMAT };
enum { GEOJSON, CSV };

static const char *const formats[] = {"geojson", "csv", NULL};

static const struct parameter parameters[] = {
    [OUTPUT] = {.name = "output",
                .type = {.kind = VALUE_PATH},
                .value = "FILE",
                .meaning = "where to; - and nothing are standard output"},
    [FORMAT] = {.name = "format",
                .type = {VALUE_CHOICE, .words = formats},
                .value = "FORMAT",
                .meaning = "geojson (without it) or csv"},
    PARAMETERS_END,
};

struct output_file {
    struct new_file made;
    FILE *file; /* that, or standard output */
    int64_t rows;
};

static enum status open_output(struct output_file *output, const char *path)
{
    *output = (struct output_file){.file = stdout};
    if (path == NULL || strcmp(path, "-") == 0)
        return STATUS_OK;
    enum status status = new_file_open(&output->made, path);
    output->file = output->made.file;
    return status;
}

static enum status close_output(struct output_file *output)
{
    if (output->file != stdout)
        return new_file_keep(&output->made);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    log_error("standard output: %s", strerror(errno));
    return STATUS_INTERNAL;
}

/* A reader that went away, or a full disk, ends the query. */
static enum status write_text(struct output_file *output, const char *text, size_t length)
{
    return fwrite(text, 1, length, output->file) == length ? STATUS_OK : STATUS_INTERNAL;
}

static enum status write_line(void *context, const char *line, size_t length)
{
    return write_text(context, line, length);
}

static enum status write_feature(void *context, struct db_row *row)
{
    struct output_file *output = context;
    const char *feature = db_read_text(row);
    fputs(output->rows++ == 0 ? "\n" : ",\n", output->file);
    return write_text(output, feature, strlen(feature));
}

static enum status write_collection(struct invocation *run, enum export_kind kind,
                                    struct output_file *output)
{
    fputs("{\"type\": \"FeatureCollection\", \"features\": [", output->file);
    enum status status = export_features(run->batch, kind, write_feature, output);
    /* A collection that is not whole must not look as if it were. */
    if (status == STATUS_OK)
        fputs("\n]}\n", output->file);
    return status;
}

static int export_things(struct invocation *run, enum export_kind kind)
{
    struct output_file output;
    enum status status = open_output(&output, run->values[OUTPUT].text);
    if (status != STATUS_OK)
        return (int)exit_status_of(status);
    if (run->values[FORMAT].number == CSV)
        status = export_csv(run->db, kind, write_line, &output);
    else
        status = write_collection(run, kind, &output);
    if (status == STATUS_OK)
        status = close_output(&output);
    new_file_drop(&output.made);
    return (int)exit_status_of(status);
}

static int export_pois(struct invocation *run)
{
    return export_things(run, EXPORT_POIS);
}

static int export_albums(struct invocation *run)
{
    return export_things(run, EXPORT_ALBUMS);
}

static int export_blogs(struct invocation *run)
{
    return export_things(run, EXPORT_BLOGS);
}

/* One user ----------------------------------------------------------------------------------- */

enum { USER, USER_OUTPUT, USER_FORMAT };

static const char *const archives[] = {"tar", "zip", NULL};

static const struct parameter user_parameters[] = {
    [USER] = {.name = "USER",
              .type = {.kind = VALUE_USER},
              OPERAND,
              .meaning = "whose: identifier or email address"},
    [USER_OUTPUT] = {.name = "output",
                     .type = {.kind = VALUE_PATH},
                     .required = true,
                     .value = "FILE",
                     .meaning = "where to; - is standard output"},
    [USER_FORMAT] = {.name = "format",
                     .type = {VALUE_CHOICE, .words = archives},
                     .value = "FORMAT",
                     .meaning =
                         "tar or zip; without it zip where the file's name ends so, else tar"},
    PARAMETERS_END,
};

static enum archive_format choose_format(const struct value *values)
{
    const char *path = values[USER_OUTPUT].text;
    size_t length = strlen(path);
    if (values[USER_FORMAT].text != NULL)
        return values[USER_FORMAT].number == 1 ? ARCHIVE_ZIP : ARCHIVE_TAR;
    return length > 4 && strcmp(path + length - 4, ".zip") == 0 ? ARCHIVE_ZIP : ARCHIVE_TAR;
}

static enum status write_object(void *context, struct db_row *row)
{
    const char *object = db_read_text(row);
    return fputs(object, context) >= 0 && fputc('\n', context) != EOF ? STATUS_OK : STATUS_INTERNAL;
}

/* What there is of a file's rows goes to disk first, however much it is. */
static enum status add_rows(struct invocation *run, struct archive_file *archive, size_t index)
{
    FILE *content = tmpfile();
    if (content == NULL) {
        log_error("a temporary file: %s", strerror(errno));
        return STATUS_INTERNAL;
    }
    enum status status =
        export_file_rows(run->batch, index, run->values[USER].number, write_object, content);
    db_batch_reset(run->batch);
    if (status == STATUS_OK)
        status = archive_add(archive, export_files[index].name, content);
    fclose(content);
    return status;
}

static enum status add_contents(struct archive_file *archive)
{
    FILE *content = tmpfile();
    if (content == NULL)
        return STATUS_INTERNAL;
    fputs(
        "All that the map diary has of one user. Each file has one JSON object a line, in UTF-8.\n"
        "Albums, places and blogs are named by their identifiers.\n\n",
        content);
    for (const struct export_file *file = export_files; file->name != NULL; file++)
        fprintf(content, "%-24s %s\n", file->name, file->content);
    enum status status = archive_add(archive, "README.txt", content);
    fclose(content);
    return status;
}

static int export_user(struct invocation *run)
{
    struct archive_file *archive = NULL;
    struct output_file output;
    enum status status = open_output(&output, run->values[USER_OUTPUT].text);
    if (status == STATUS_OK)
        status = archive_begin(&archive, output.file, run->values[USER_OUTPUT].text,
                               choose_format(run->values));
    if (status == STATUS_OK)
        status = add_contents(archive);
    for (size_t i = 0; export_files[i].name != NULL && status == STATUS_OK; i++)
        status = add_rows(run, archive, i);
    enum status finished = archive_finish(&archive);
    status = status != STATUS_OK ? status : finished;
    if (status == STATUS_OK)
        status = close_output(&output);
    new_file_drop(&output.made);
    return command_end(status, "user %s", run->values[USER].text);
}

const struct command export_commands[] = {
    {.name = "pois",
     .summary = "write all points of interest",
     .details = "What is written can be imported.",
     .parameters = parameters,
     .run = export_pois},
    {.name = "albums",
     .summary = "write all albums, without their photos",
     .details = "What is written can be imported.",
     .parameters = parameters,
     .run = export_albums},
    {.name = "blogs",
     .summary = "write all blogs, those of the future too",
     .details = "What is written can be imported.",
     .parameters = parameters,
     .run = export_blogs},
    {.name = "user",
     .summary = "write all that there is of one user, as an archive for that user",
     .parameters = user_parameters,
     .run = export_user},
    COMMANDS_END,
};
