#include "media/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "media/folder.h"

enum { FAN_SIZE = 3, NAME_SIZE = CRYPTO_DIGEST_DIGITS + 1, TRIES = 10, TICKS = 20 };

_Static_assert((int)FOLDER_ROOMS == (int)FILES_ROOMS, "each has its descriptor");

static const struct {
    const char *name;
    mode_t folder, file;
} rooms[FILES_ROOMS] = {
    [FILES_ORIGINALS] = {"originals", FOLDER_OWN, 0600},
    [FILES_PICTURES] = {"pictures", FOLDER_PASSED, 0644},
};

/* Open and close ------------------------------------------------------------------------------ */

static bool open_folders(struct files *files)
{
    files->root = folder_make_and_open(AT_FDCWD, files->directory, FOLDER_PASSED);
    if (files->root < 0)
        return false;
    for (int room = 0; room < FILES_ROOMS; room++)
        files->rooms[room] =
            folder_make_and_open(files->root, rooms[room].name, rooms[room].folder);
    files->public = folder_make_and_open(files->root, "public", FOLDER_PASSED);
    files->gone = folder_make_and_open(files->root, "gone", FOLDER_OWN);
    return files->rooms[FILES_ORIGINALS] >= 0 && files->rooms[FILES_PICTURES] >= 0 &&
           files->public >= 0 && files->gone >= 0;
}

/* That it has files without a name, too. */
static bool can_hold_files(const struct files *files)
{
    int descriptor = files_new(files);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0;
}

struct files *files_open(const char *directory)
{
    struct files *files = memory_zeroed(1, sizeof *files);
    *files = (struct files){.directory = memory_copy_text(directory),
                            .root = -1,
                            .public = -1,
                            .gone = -1,
                            .rooms = {-1, -1}};
    bool is_open = open_folders(files);
    if (!is_open)
        (void)folder_fail(files, "its folders");
    if (!is_open || !can_hold_files(files))
        files_close(&files);
    return files;
}

void files_close(struct files **files)
{
    if (*files == NULL)
        return;
    for (int room = 0; room < FILES_ROOMS; room++)
        folder_close((*files)->rooms[room]);
    folder_close((*files)->gone);
    folder_close((*files)->public);
    folder_close((*files)->root);
    free((*files)->directory);
    free(*files);
    *files = NULL;
}

static bool is_at(int parent, const char *path, int opened)
{
    struct stat found, had;
    return fstatat(parent, path, &found, 0) == 0 && fstat(opened, &had) == 0 &&
           found.st_dev == had.st_dev && found.st_ino == had.st_ino;
}

bool files_are_there(const struct files *files)
{
    bool are_there = is_at(AT_FDCWD, files->directory, files->root) &&
                     is_at(files->root, "public", files->public) &&
                     is_at(files->root, "gone", files->gone);
    for (int room = 0; room < FILES_ROOMS; room++)
        are_there = are_there && is_at(files->root, rooms[room].name, files->rooms[room]);
    return are_there;
}

/* One file ------------------------------------------------------------------------------------ */

/* Each room fans out into folders, by the first byte of the name. */
static void fan_of(const unsigned char *digest, char fan[static FAN_SIZE])
{
    crypto_to_hex(digest, 1, fan);
}

static void name_of(const unsigned char *digest, char name[static NAME_SIZE])
{
    crypto_to_hex(digest, CRYPTO_DIGEST_SIZE, name);
}

static int open_fan(const struct files *files, enum files_room room, const unsigned char *digest)
{
    char fan[FAN_SIZE];
    fan_of(digest, fan);
    return folder_open(files->rooms[room], fan);
}

/*
 * Who puts a file shares a lock of its folder, and who deletes one has it alone: between a look at
 * when it was put last, and its end, nobody puts it anew. Unlike a detour by another name, that
 * never takes away a file that stays, whoever dies when.
 */
static bool lock(int folder, int how)
{
    int answer;
    do
        answer = flock(folder, how);
    while (answer != 0 && errno == EINTR);
    return answer == 0;
}

int files_new(const struct files *files)
{
    static const char none[] = "its file system has no files without a name (O_TMPFILE), which "
                               "ext4, XFS and Btrfs have";
    int descriptor = openat(files->root, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        (void)folder_fail(files, errno == EOPNOTSUPP || errno == EISDIR ? none : "a new file");
        return descriptor;
    }
    if (folder_give_file(files->root, descriptor))
        return descriptor;
    (void)folder_fail(files, "a new file");
    close(descriptor);
    return -1;
}

/* Without privileges a file without a name is linked by way of /proc: open(2). One that is there
 * may go before it is touched, where an operator deletes it. */
static bool link_or_touch(int descriptor, int folder, const char *name)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    for (int i = 0; i < TRIES; i++) {
        if (linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW) == 0)
            return true;
        if (errno != EEXIST)
            return false;
        if (utimensat(folder, name, NULL, AT_SYMLINK_NOFOLLOW) == 0)
            return true;
    }
    return false;
}

static bool give_name(int descriptor, int folder, const unsigned char *digest)
{
    char name[NAME_SIZE];
    name_of(digest, name);
    bool is_named = lock(folder, LOCK_SH) && link_or_touch(descriptor, folder, name);
    int error = errno;
    (void)lock(folder, LOCK_UN);
    errno = error;
    return is_named;
}

static int make_fan(const struct files *files, enum files_room room, const unsigned char *digest)
{
    char fan[FAN_SIZE];
    fan_of(digest, fan);
    return folder_make_and_open(files->rooms[room], fan, rooms[room].folder);
}

/* That it is there already, or its folder, does not say that this is on the disk: who made it may
 * be about to see to that. So each sees to both. */
enum status files_put(const struct files *files, enum files_room room, int descriptor,
                      const unsigned char *digest)
{
    if (fchmod(descriptor, rooms[room].file) != 0 || fsync(descriptor) != 0)
        return folder_fail(files, "a new file");
    int folder = make_fan(files, room, digest);
    if (folder < 0)
        return folder_fail(files, rooms[room].name);
    bool is_put = give_name(descriptor, folder, digest) && fsync(folder) == 0 &&
                  fsync(files->rooms[room]) == 0;
    enum status status = is_put ? STATUS_OK : folder_fail(files, rooms[room].name);
    folder_close(folder);
    return status;
}

int files_get(const struct files *files, enum files_room room, const unsigned char *digest)
{
    char name[NAME_SIZE];
    int folder = open_fan(files, room, digest);
    if (folder < 0)
        return -1;
    name_of(digest, name);
    int descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    folder_close(folder);
    return descriptor;
}

/* What is no file of ours is not there: then errno is 0. */
static enum status head(const struct files *files, int folder, const unsigned char *digest,
                        struct files_entry *entry)
{
    struct stat found;
    char name[NAME_SIZE];
    name_of(digest, name);
    errno = 0;
    if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? STATUS_NOT_FOUND : folder_fail(files, name);
    if (!S_ISREG(found.st_mode))
        return STATUS_NOT_FOUND;
    entry->length = found.st_size;
    entry->put_at = found.st_mtim.tv_sec;
    entry->put_nanoseconds = found.st_mtim.tv_nsec;
    memmove(entry->digest, digest, CRYPTO_DIGEST_SIZE); /* it may be that one */
    return STATUS_OK;
}

enum status files_head(const struct files *files, enum files_room room, const unsigned char *digest,
                       struct files_entry *entry)
{
    int folder = open_fan(files, room, digest);
    if (folder < 0)
        return errno == ENOENT ? STATUS_NOT_FOUND : folder_fail(files, rooms[room].name);
    enum status status = head(files, folder, digest, entry);
    folder_close(folder);
    return status;
}

/* The clock that the file system reads. */
static bool is_settled(const struct files_entry *entry)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return entry->put_at < now.tv_sec ||
           (entry->put_at == now.tv_sec && entry->put_nanoseconds < now.tv_nsec);
}

enum status files_head_settled(const struct files *files, enum files_room room,
                               const unsigned char *digest, struct files_entry *entry)
{
    const struct timespec tick = {.tv_nsec = 1000000};
    for (int i = 0; i < TICKS; i++) {
        enum status status = files_head(files, room, digest, entry);
        if (status != STATUS_OK || is_settled(entry))
            return status;
        nanosleep(&tick, NULL);
    }
    return STATUS_NOT_FOUND;
}

static enum status delete_from(const struct files *files, int folder,
                               const struct files_entry *entry)
{
    struct files_entry now;
    char name[NAME_SIZE];
    name_of(entry->digest, name);
    if (!lock(folder, LOCK_EX))
        return folder_fail(files, "a lock");
    enum status status = head(files, folder, entry->digest, &now);
    if (status != STATUS_OK)
        return status;
    if (now.put_at != entry->put_at || now.put_nanoseconds != entry->put_nanoseconds)
        return STATUS_CONFLICT;
    return unlinkat(folder, name, 0) == 0 ? STATUS_OK : folder_fail(files, name);
}

enum status files_delete(const struct files *files, enum files_room room,
                         const struct files_entry *entry)
{
    int folder = open_fan(files, room, entry->digest);
    if (folder < 0)
        return errno == ENOENT ? STATUS_NOT_FOUND : folder_fail(files, rooms[room].name);
    enum status status = delete_from(files, folder, entry);
    folder_close(folder);
    return status;
}

/* All of them --------------------------------------------------------------------------------- */

struct walk {
    const struct files *files;
    enum files_room room;
    files_function *function;
    void *context;
};

static void report_stranger(const struct walk *walk, const char *fan, const char *name)
{
    log_warning("photo_directory %s: %s/%s%s%s is no photo", walk->files->directory,
                rooms[walk->room].name, fan, *name != '\0' ? "/" : "", name);
}

/* In lower case, as these names are. */
static bool is_hex(const char *text, size_t digits)
{
    return strlen(text) == digits && strspn(text, "0123456789abcdef") == digits;
}

static bool is_name(const char *fan, const char *name, unsigned char *digest)
{
    return is_hex(name, CRYPTO_DIGEST_DIGITS) && strncmp(fan, name, FAN_SIZE - 1) == 0 &&
           crypto_from_hex(name, digest, CRYPTO_DIGEST_SIZE);
}

/* What has gone since is no stranger. */
static enum status list_name(const struct walk *walk, int folder, const char *fan, const char *name)
{
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    struct files_entry entry;
    if (!is_name(fan, name, digest)) {
        report_stranger(walk, fan, name);
        return STATUS_OK;
    }
    enum status status = head(walk->files, folder, digest, &entry);
    if (status == STATUS_OK)
        return walk->function(walk->context, walk->room, &entry);
    if (status == STATUS_NOT_FOUND && errno != ENOENT)
        report_stranger(walk, fan, name);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static enum status list_fan(const struct walk *walk, const char *fan)
{
    size_t count = 0;
    int folder = folder_open(walk->files->rooms[walk->room], fan);
    char **names = folder >= 0 ? folder_names(folder, &count) : NULL;
    enum status status = names != NULL ? STATUS_OK : folder_fail(walk->files, fan);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = list_name(walk, folder, fan, names[i]);
    folder_free_names(names, count);
    folder_close(folder);
    return status;
}

enum status files_list(const struct files *files, enum files_room room, files_function *function,
                       void *context)
{
    const struct walk walk = {files, room, function, context};
    size_t count = 0;
    char **fans = folder_names(files->rooms[room], &count);
    enum status status = fans != NULL ? STATUS_OK : folder_fail(files, rooms[room].name);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (is_hex(fans[i], FAN_SIZE - 1))
            status = list_fan(&walk, fans[i]);
        else
            report_stranger(&walk, fans[i], "");
    }
    folder_free_names(fans, count);
    return status;
}

/* A rename changes when the inode changed last. */
enum status files_empty(const struct files *files, int64_t seconds)
{
    size_t count = 0;
    struct stat found;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now); /* time(2) may be behind the file system */
    char **names = folder_names(files->gone, &count);
    if (names == NULL)
        return folder_fail(files, "gone");
    for (size_t i = 0; i < count; i++)
        if (fstatat(files->gone, names[i], &found, AT_SYMLINK_NOFOLLOW) == 0 &&
            now.tv_sec - found.st_ctime >= seconds)
            folder_remove(files->gone, names[i]);
    folder_free_names(names, count);
    return STATUS_OK;
}

void files_path(const unsigned char *digest, char *path)
{
    files_path_in(FILES_PICTURES, digest, path);
}

void files_path_in(enum files_room room, const unsigned char *digest, char *path)
{
    char fan[FAN_SIZE], name[NAME_SIZE];
    fan_of(digest, fan);
    name_of(digest, name);
    snprintf(path, FILES_PATH_SIZE, "%s/%s/%s", rooms[room].name, fan, name);
}
