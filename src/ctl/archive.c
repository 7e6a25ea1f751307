#include "ctl/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/log.h"
#include "base/memory.h"

struct archive_file {
    struct archive *archive;
    const char *path;
};

static enum status check(const struct archive_file *file, int outcome)
{
    if (outcome >= ARCHIVE_OK)
        return STATUS_OK;
    log_error("%s: %s", file->path, archive_error_string(file->archive));
    return STATUS_INTERNAL;
}

enum status archive_begin(struct archive_file **archive, FILE *out, const char *path,
                          enum archive_format format)
{
    struct archive_file *file = *archive = memory_zeroed(1, sizeof *file);
    file->archive = archive_write_new();
    file->path = path;
    if (format == ARCHIVE_ZIP)
        archive_write_set_format_zip(file->archive);
    else
        archive_write_set_format_pax_restricted(file->archive);
    return check(file, archive_write_open_FILE(file->archive, out));
}

static enum status write_content(struct archive_file *file, FILE *content)
{
    char block[16384];
    size_t got = 0;
    while ((got = fread(block, 1, sizeof block, content)) > 0)
        if (archive_write_data(file->archive, block, got) < 0)
            return check(file, ARCHIVE_FATAL);
    if (!ferror(content))
        return STATUS_OK;
    log_error("a temporary file cannot be read");
    return STATUS_INTERNAL;
}

/* A header of tar says how long its file is, so that has to be known before. */
enum status archive_add(struct archive_file *file, const char *name, FILE *content)
{
    struct archive_entry *entry = archive_entry_new();
    struct stat found;
    if (fflush(content) != 0 || fstat(fileno(content), &found) != 0) {
        log_error("a temporary file cannot be written");
        archive_entry_free(entry);
        return STATUS_INTERNAL;
    }
    rewind(content);
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0600);
    archive_entry_set_size(entry, found.st_size);
    archive_entry_set_mtime(entry, time(NULL), 0);
    enum status status = check(file, archive_write_header(file->archive, entry));
    archive_entry_free(entry);
    return status != STATUS_OK ? status : write_content(file, content);
}

enum status archive_finish(struct archive_file **archive)
{
    struct archive_file *file = *archive;
    if (file == NULL)
        return STATUS_OK;
    enum status status = check(file, archive_write_close(file->archive));
    archive_write_free(file->archive);
    free(file);
    *archive = NULL;
    return status;
}
