#include "ctl/export_user.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "cli/new_file.h"
#include "ctl/archive.h"
#include "ctl/export_originals.h"
#include "store/export.h"

/* What there is ------------------------------------------------------------------------------ */

static const char *const account[] = {"userID",  "email",   "name",     "icon", "disabled",
                                      "blocked", "created", "language", NULL};

static const char *const mails[] = {"recipient", "state", "written", "ended", "reply", NULL};

static const char *const reports[] = {"thing", "reason", "state", "reported", NULL};

static const char *const decisions[] = {"thing", "action", "reason", "rule", "decided", NULL};

static const char *const sessions[] = {"created", "expires", NULL};

static const char *const albums[] = {"id",    "title", "category", "#lat",       "#lng",
                                     "score", "cover", "updated",  "visibility", NULL};

static const char *const album_photos[] = {"id",      "album",       "position",
                                           "address", "description", NULL};

static const char *const pois[] = {"id",   "name",  "category", "#lat",
                                   "#lng", "score", "updated",  NULL};

static const char *const poi_photos[] = {"id", "poi", "position", "address", "description", NULL};

static const char *const blogs[] = {
    "id",    "type",    "#lat",       "#lng",      "title",   "content",
    "date",  "weather", "reply",      "zoomLevel", "mapType", "userCategory",
    "score", "created", "visibility", "vote",      NULL};

static const char *const comments[] = {"id",   "album", "poi",       "blog", "comment",
                                       "time", "reply", "replyTime", NULL};

static const char *const received_comments[] = {
    "id", "album", "poi", "blog", "commenter", "comment", "time", "reply", "replyTime", NULL};

static const char *const ballots[] = {"blog", "choice", "cast", NULL};

static const char *const recommendations[] = {"album", "poi", "blog", "recommended", NULL};

static const char *const rewards[] = {"blog", "amount", "day", NULL};

static const struct {
    const char *name;
    const char *content; /* in words */
    const char *const *columns;
} files[EXPORT_FILE_COUNT] = {
    [EXPORT_ACCOUNT] = {"account.jsonl",
                        "the account: without the password, which is not kept as such", account},
    [EXPORT_SESSIONS] = {"sessions.jsonl", "logins that have not expired", sessions},
    [EXPORT_MAILS] = {"mails.jsonl", "mails to the user of the last 30 days, without their texts",
                      mails},
    [EXPORT_REPORTS] = {"reports.jsonl", "reports by the user", reports},
    [EXPORT_DECISIONS] = {"decisions.jsonl",
                          "decisions of operators about the user and the user's things", decisions},
    [EXPORT_OWN_ALBUMS] = {"albums.jsonl", "albums", albums},
    [EXPORT_ALBUM_PHOTOS] = {"album-photos.jsonl", "the photos in the albums", album_photos},
    [EXPORT_OWN_POIS] = {"places.jsonl", "points of interest", pois},
    [EXPORT_POI_PHOTOS] = {"place-photos.jsonl", "the photos of the points of interest",
                           poi_photos},
    [EXPORT_OWN_BLOGS] = {"blogs.jsonl", "blogs, with the votes on them", blogs},
    [EXPORT_COMMENTS] = {"comments.jsonl", "comments that the user wrote", comments},
    [EXPORT_RECEIVED_COMMENTS] =
        {"received-comments.jsonl",
         "comments by others on the user's pieces, with the user's answers", received_comments},
    [EXPORT_BALLOTS] = {"votes.jsonl", "choices of the user in votes", ballots},
    [EXPORT_RECOMMENDATIONS] = {"recommendations.jsonl", "recommendations by the user",
                                recommendations},
    [EXPORT_REWARDS] = {"rewards.jsonl", "rewards for blogs", rewards},
};

/* The archive -------------------------------------------------------------------------------- */

enum { USER, USER_OUTPUT, USER_FORMAT };

static const char *const archives[] = {"tar", "zip", NULL};

const struct parameter export_user_parameters[] = {
    [USER] = {.name = "USER",
              .type = {.kind = VALUE_USER},
              OPERAND,
              .meaning = "the user: identifier or email address"},
    [USER_OUTPUT] = {.name = "output",
                     .type = {.kind = VALUE_PATH},
                     .required = true,
                     .value = "FILE",
                     .meaning = "the file to write; - is standard output"},
    [USER_FORMAT] = {.name = "format",
                     .type = {VALUE_CHOICE, .words = archives},
                     .value = "FORMAT",

                     .meaning =
                         "tar or zip; without this option, zip if the file's name ends so, else "
                         "tar"},
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

/* Lines of the number of votes, a blank, and what was voted for; NULL without a vote. */
static void put_choices(struct output *out, const char *lines)
{
    if (lines == NULL) {
        output_text(out, "choices", NULL);
        return;
    }
    char *copy = memory_copy_text(lines), *rest = NULL;
    output_list(out, "choices");
    for (char *line = strtok_r(copy, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *description = NULL;
        int64_t votes = strtoll(line, &description, 10);
        output_object(out, NULL);
        output_text(out, "description", description + 1);
        output_integer(out, "votes", votes);
        output_end(out);
    }
    output_end(out);
    free(copy);
}

struct lines {
    struct output_rows rows;
    FILE *file;
};

static enum status write_line(void *context, struct db_row *row)
{
    struct lines *lines = context;
    struct output *out = lines->rows.out;
    output_object(out, NULL);
    for (const char *const *column = lines->rows.columns; *column != NULL; column++)
        output_column(out, *column, row);
    if (db_columns_left(row) > 0)
        put_choices(out, db_read_text(row));
    output_end(out);
    return fputc('\n', lines->file) != EOF ? STATUS_OK : STATUS_INTERNAL;
}

static enum status write_lines(struct invocation *run, enum export_file file, FILE *content)
{
    struct lines lines = {{output_new(content, OUTPUT_COMPACT_JSON), files[file].columns}, content};
    enum status status =
        export_file_rows(run->batch, file, run->values[USER].number, write_line, &lines);
    db_batch_reset(run->batch);
    output_free(&lines.rows.out);
    return status;
}

/* What there is of a file's rows goes to disk first, however much it is. */
static enum status add_rows(struct invocation *run, struct archive_file *archive,
                            enum export_file file)
{
    FILE *content = tmpfile();
    if (content == NULL) {
        log_error("a temporary file: %s", strerror(errno));
        return STATUS_INTERNAL;
    }
    enum status status = write_lines(run, file, content);
    if (status == STATUS_OK)
        status = archive_add(archive, files[file].name, content);
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
    for (size_t i = 0; i < EXPORT_FILE_COUNT; i++)
        fprintf(content, "%-24s %s\n", files[i].name, files[i].content);
    fprintf(content, "%-24s %s\n", "photos/", "uploaded photos as sent, by identifier");
    enum status status = archive_add(archive, "README.txt", content);
    fclose(content);
    return status;
}

int export_user(struct invocation *run)
{
    struct archive_file *archive = NULL;
    struct new_file file;
    enum status status = new_file_open_output(&file, run->values[USER_OUTPUT].text);
    if (status == STATUS_OK)
        status = archive_begin(&archive, file.file, run->values[USER_OUTPUT].text,
                               choose_format(run->values));
    if (status == STATUS_OK)
        status = add_contents(archive);
    for (int i = 0; i < EXPORT_FILE_COUNT && status == STATUS_OK; i++)
        status = add_rows(run, archive, (enum export_file)i);
    if (status == STATUS_OK)
        status = export_originals(run, archive, run->values[USER].number);
    enum status finished = archive_finish(&archive);
    status = status != STATUS_OK ? status : finished;
    if (status == STATUS_OK)
        status = new_file_keep(&file);
    new_file_drop(&file);
    return command_end(status, "user %s", run->values[USER].text);
}
