#include "rows/rejects.h"

#include <csv.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/user.h"

enum status rejects_check(const struct rejects *rejects, int input)
{
    struct stat found, read;
    user_return();
    bool is_there = stat(rejects->path, &found) == 0;
    user_resume();
    if (!is_there || fstat(input, &read) != 0 || found.st_dev != read.st_dev ||
        found.st_ino != read.st_ino || !S_ISREG(found.st_mode))
        return STATUS_OK;
    log_error("%s: is what is imported; name another file with --rejects", rejects->path);
    return STATUS_CONFLICT;
}

/* Who imports need not be who may write beside the file that is imported. */
static enum status open_elsewhere(struct rejects *rejects)
{
    const char *folder = getenv("TMPDIR"), *slash = strrchr(rejects->path, '/');
    rejects->path = arena_format(rejects->arena, "%s/%lld-%s", folder != NULL ? folder : "/tmp",
                                 (long long)getpid(), slash != NULL ? slash + 1 : rejects->path);
    return new_file_open(&rejects->made, rejects->path);
}

static enum status open_file(struct rejects *rejects)
{
    rejects->count++;
    if (rejects->made.file != NULL)
        return STATUS_OK;
    enum status status = new_file_open(&rejects->made, rejects->path);
    if (status != STATUS_OK && !rejects->is_chosen)
        status = open_elsewhere(rejects);
    if (status != STATUS_OK)
        return status;
    fputs("line,column,reason,id,source", rejects->made.file);
    for (const struct parameter *column = rejects->columns; column->name != NULL; column++)
        fprintf(rejects->made.file, ",%s", column->name);
    fputc('\n', rejects->made.file);
    return STATUS_OK;
}

enum status rejects_begin(struct rejects *rejects, int64_t line, int64_t column, const char *reason)
{
    enum status status = open_file(rejects);
    if (status != STATUS_OK)
        return status;
    fprintf(rejects->made.file, "%lld,%lld,", (long long)line, (long long)column);
    csv_fwrite(rejects->made.file, reason, strlen(reason));
    return STATUS_OK;
}

void rejects_add(struct rejects *rejects, const char *text)
{
    fputc(',', rejects->made.file);
    if (text != NULL)
        csv_fwrite(rejects->made.file, text, strlen(text));
}

void rejects_end_row(struct rejects *rejects)
{
    fputc('\n', rejects->made.file);
}

/* A text may have line feeds within quotes, so PostgreSQL's row may have several lines. */
enum status rejects_add_line(void *context, const char *line, size_t length)
{
    struct rejects *rejects = context;
    enum status status = open_file(rejects);
    if (status != STATUS_OK)
        return status;
    if (fwrite(line, 1, length, rejects->made.file) == length)
        return STATUS_OK;
    log_error("%s: %s", rejects->path, strerror(errno));
    return STATUS_INTERNAL;
}

/* Somebody may have mended the rows of an import before. */
static enum status keep_older(const struct rejects *rejects)
{
    char *older = arena_format(rejects->arena, "%s~", rejects->path);
    bool is_new = rejects->made.temporary == NULL;
    user_return();
    bool is_kept = is_new || rename(rejects->path, older) == 0 || errno == ENOENT;
    user_resume();
    if (is_kept)
        return STATUS_OK;
    log_error("%s: %s", older, strerror(errno));
    return STATUS_INTERNAL;
}

enum status rejects_close(struct rejects *rejects)
{
    enum status status = keep_older(rejects);
    if (status == STATUS_OK)
        return new_file_keep(&rejects->made);
    new_file_drop(&rejects->made);
    return status;
}
