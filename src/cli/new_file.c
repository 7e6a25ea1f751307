#include "cli/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/user.h"

static enum status fail(struct new_file *file, const char *reason)
{
    log_error("%s: %s", file->path, reason);
    new_file_drop(file);
    return STATUS_INTERNAL;
}

/* "FOLDER/.NAME.XXXXXX", for mkostemp(3). */
static char *temporary_name(const char *path)
{
    enum { MORE = sizeof "..XXXXXX" };
    const char *slash = strrchr(path, '/');
    size_t folder = slash != NULL ? (size_t)(slash + 1 - path) : 0;
    char *name = memory_zeroed(1, strlen(path) + MORE);
    memcpy(name, path, folder);
    stpcpy(stpcpy(stpcpy(name + folder, "."), path + folder), ".XXXXXX");
    return name;
}

/* What is neither a file nor a link, such as /dev/null, would be gone if another took its name. */
static int open_at(struct new_file *file)
{
    struct stat found;
    bool is_there = lstat(file->path, &found) == 0;
    if (is_there && !S_ISREG(found.st_mode))
        return open(file->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    file->temporary = temporary_name(file->path);
    return mkostemp(file->temporary, O_CLOEXEC);
}

enum status new_file_open(struct new_file *file, const char *path)
{
    *file = (struct new_file){.path = memory_copy_text(path)};
    user_return();
    int descriptor = open_at(file);
    user_resume();
    if (descriptor < 0) {
        const char *reason =
            errno == ELOOP ? "is a link; name the file behind the link" : strerror(errno);
        free(file->temporary);
        file->temporary = NULL;
        return fail(file, reason);
    }
    file->file = memory_required(fdopen(descriptor, "w"));
    return STATUS_OK;
}

enum status new_file_open_output(struct new_file *file, const char *path)
{
    if (path != NULL && strcmp(path, "-") != 0)
        return new_file_open(file, path);
    *file = (struct new_file){.path = memory_copy_text("standard output"), .file = stdout};
    return STATUS_OK;
}

static bool end_stream(FILE *stream)
{
    bool good = ferror(stream) == 0;
    return (stream == stdout ? fflush(stream) : fclose(stream)) == 0 && good;
}

static bool take_name(const struct new_file *file)
{
    user_return();
    bool good = file->temporary == NULL || rename(file->temporary, file->path) == 0;
    user_resume();
    return good;
}

enum status new_file_keep(struct new_file *file)
{
    FILE *stream = file->file;
    file->file = NULL;
    if (stream == NULL)
        return STATUS_OK;
    if (!end_stream(stream))
        return fail(file, strerror(errno));
    if (!take_name(file))
        return fail(file, strerror(errno));
    free(file->temporary);
    file->temporary = NULL;
    new_file_drop(file);
    return STATUS_OK;
}

void new_file_drop(struct new_file *file)
{
    if (file->file != NULL)
        (void)end_stream(file->file);
    user_return();
    if (file->temporary != NULL)
        unlink(file->temporary);
    user_resume();
    free(file->temporary);
    free(file->path);
    *file = (struct new_file){0};
}
