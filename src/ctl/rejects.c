#include "ctl/rejects.h"

#include <csv.h>
#include <errno.h>
#include <string.h>

#include "base/log.h"

static enum status fail(const struct rejects *rejects)
{
    log_error("%s: %s", rejects->path, strerror(errno));
    return STATUS_INTERNAL;
}

static enum status open_file(struct rejects *rejects)
{
    rejects->count++;
    if (rejects->file != NULL)
        return STATUS_OK;
    rejects->file = fopen(rejects->path, "we");
    if (rejects->file == NULL)
        return fail(rejects);
    fputs("line,column,reason,id", rejects->file);
    for (const struct parameter *column = rejects->columns; column->name != NULL; column++)
        fprintf(rejects->file, ",%s", column->name);
    fputc('\n', rejects->file);
    return STATUS_OK;
}

enum status rejects_begin(struct rejects *rejects, int64_t line, int64_t column, const char *reason)
{
    enum status status = open_file(rejects);
    if (status != STATUS_OK)
        return status;
    fprintf(rejects->file, "%lld,%lld,", (long long)line, (long long)column);
    csv_fwrite(rejects->file, reason, strlen(reason));
    return STATUS_OK;
}

void rejects_add(struct rejects *rejects, const char *text)
{
    fputc(',', rejects->file);
    if (text != NULL)
        csv_fwrite(rejects->file, text, strlen(text));
}

void rejects_end_row(struct rejects *rejects)
{
    fputc('\n', rejects->file);
}

/* A text may have line feeds within quotes, so PostgreSQL's row may have several lines. */
enum status rejects_add_line(void *context, const char *line, size_t length)
{
    struct rejects *rejects = context;
    enum status status = open_file(rejects);
    if (status != STATUS_OK)
        return status;
    return fwrite(line, 1, length, rejects->file) == length ? STATUS_OK : fail(rejects);
}

enum status rejects_close(struct rejects *rejects)
{
    FILE *file = rejects->file;
    rejects->file = NULL;
    if (file == NULL)
        return STATUS_OK;
    bool failed = ferror(file) != 0;
    return fclose(file) != 0 || failed ? fail(rejects) : STATUS_OK;
}
