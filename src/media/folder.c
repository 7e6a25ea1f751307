#include "media/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crypto.h"
#include "base/log.h"
#include "base/memory.h"

enum status folder_fail(const struct files *files, const char *what)
{
    log_error("photo_directory %s: %s: %s", files->directory, what, strerror(errno));
    return STATUS_UNAVAILABLE;
}

/* The owner of a path's folder, or of the folder of the descriptor. */
static bool find_owner(int parent, const char *path, struct stat *owner)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path)
        return fstatat(parent, slash == path ? "/" : ".", owner, 0) == 0;
    char *above = memory_copy_text(path);
    above[slash - path] = '\0';
    bool is_found = fstatat(parent, above, owner, 0) == 0;
    free(above);
    return is_found;
}

static bool give_away(int parent, const char *path)
{
    struct stat owner;
    return geteuid() != 0 ||
           (find_owner(parent, path, &owner) &&
            fchownat(parent, path, owner.st_uid, owner.st_gid, AT_SYMLINK_NOFOLLOW) == 0);
}

bool folder_make(int parent, const char *path, mode_t mode)
{
    mode_t mask = umask(0);
    bool is_made = mkdirat(parent, path, mode) == 0;
    umask(mask);
    return is_made ? give_away(parent, path) : errno == EEXIST;
}

bool folder_give_file(int folder, int file)
{
    struct stat owner;
    return geteuid() != 0 ||
           (fstat(folder, &owner) == 0 && fchown(file, owner.st_uid, owner.st_gid) == 0);
}

int folder_open(int parent, const char *path)
{
    return openat(parent, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int folder_make_and_open(int parent, const char *path, mode_t mode)
{
    return folder_make(parent, path, mode) ? folder_open(parent, path) : -1;
}

void folder_close(int folder)
{
    int error = errno;
    if (folder >= 0)
        close(folder);
    errno = error;
}

/* The names of a folder ----------------------------------------------------------------------- */

static int compare(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static char **read_names(DIR *stream, size_t *count, int *error)
{
    size_t room = 64;
    char **names = memory_zeroed(room, sizeof *names);
    errno = 0;
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (*count == room)
            names = memory_resized(names, (room *= 2) * sizeof *names);
        names[(*count)++] = memory_copy_text(entry->d_name);
    }
    *error = errno;
    qsort(names, *count, sizeof *names, compare);
    return names;
}

/* A stream of its own, so that the place in the folder is, too. */
char **folder_names(int folder, size_t *count)
{
    int descriptor = folder_open(folder, ".");
    DIR *stream = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    *count = 0;
    if (stream == NULL) {
        folder_close(descriptor);
        return NULL;
    }
    int error;
    char **names = read_names(stream, count, &error);
    closedir(stream);
    if (error == 0)
        return names;
    folder_free_names(names, *count);
    *count = 0;
    errno = error;
    return NULL;
}

void folder_free_names(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

/* On the way out ------------------------------------------------------------------------------ */

void folder_random(char name[static FOLDER_RANDOM_SIZE])
{
    unsigned char bytes[(FOLDER_RANDOM_SIZE - 1) / 2];
    crypto_random(bytes, sizeof bytes);
    crypto_to_hex(bytes, sizeof bytes, name);
}

/* No link is followed. How deep it goes, nobody but the service decides. */
static void empty(int parent, const char *name)
{
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    size_t count = 0;
    char **names = folder_names(folder, &count);
    for (size_t i = 0; i < count; i++)
        folder_remove(folder, names[i]);
    folder_free_names(names, count);
    folder_close(folder);
}

void folder_remove(int parent, const char *name)
{
    if (unlinkat(parent, name, 0) == 0 || errno != EISDIR)
        return;
    empty(parent, name);
    unlinkat(parent, name, AT_REMOVEDIR);
}
