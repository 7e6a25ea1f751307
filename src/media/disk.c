#include "media/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "media/folder.h"
#include "store/photo_file.h"

enum {
    LOOK_EACH = 1000,    /* milliseconds, while all is well */
    TRY_EACH = 2000,     /* while it is not */
    REFUSED_EACH = 10000 /* while it takes no files; each try logs the reason */
};

/* A copy of the photos may have no mark. */
static bool has_originals(int root)
{
    size_t count = 0;
    int originals = folder_open(root, "originals");
    char **names = originals >= 0 ? folder_names(originals, &count) : NULL;
    folder_free_names(names, count);
    folder_close(originals);
    return count > 0;
}

static enum disk_state judge(int root, const struct photo_file_owner *owner,
                             char marked[static MARK_SIZE])
{
    if (!mark_find(root, marked))
        return DISK_UNREADABLE;
    if (strcmp(marked, owner->whose) == 0)
        return DISK_OURS;
    bool is_empty = !has_originals(root);
    if (*marked != '\0' && (owner->has_photos || !is_empty))
        return DISK_OTHERS;
    *marked = '\0'; /* of a database that was made anew, before the first photo */
    return owner->has_photos && is_empty ? DISK_EMPTY : DISK_OURS;
}

enum disk_state disk_find(const char *directory, struct db_batch *batch,
                          char marked[static MARK_SIZE])
{
    struct photo_file_owner owner = {0};
    *marked = '\0';
    if (photo_file_owner(batch, &owner) != STATUS_OK)
        return DISK_UNKNOWN;
    int root = folder_open(AT_FDCWD, directory);
    if (root < 0) /* a new one is made */
        return errno == ENOENT && !owner.has_photos ? DISK_OURS : DISK_MISSING;
    enum disk_state state = judge(root, &owner, marked);
    folder_close(root);
    return state;
}

const char *disk_words(enum disk_state state)
{
    static const char *const words[] = {
        [DISK_OURS] = "is the one of this database",
        [DISK_MISSING] = "cannot be opened",
        [DISK_UNREADABLE] = "has a mark, the file database, that cannot be read",
        [DISK_EMPTY] = "is empty, and the database has photos",
        [DISK_OTHERS] = "has the mark of another database",
        [DISK_UNUSABLE] = "takes no files",
        [DISK_UNKNOWN] = "cannot be judged, as the database does not answer",
    };
    return words[state];
}

/* Looking again ------------------------------------------------------------------------------- */

static void say(const struct disk *disk, enum disk_state before, int error)
{
    bool has_reason = disk->state == DISK_MISSING || disk->state == DISK_UNREADABLE;
    if (disk->state == before || disk->state == DISK_UNKNOWN || disk->state == DISK_UNUSABLE)
        return;
    if (disk->state == DISK_OURS && before != DISK_UNKNOWN)
        log_notice("photo_directory %s: it is there again", disk->directory);
    else if (disk->state != DISK_OURS)
        log_error("photo_directory %s: it %s%s%s", disk->directory, disk_words(disk->state),
                  has_reason ? ": " : "", has_reason ? strerror(error) : "");
}

static void mark_new(const struct disk *disk, struct db_batch *batch, const char *marked)
{
    const char *whose = "";
    db_batch_reset(batch);
    if (*marked != '\0' || photo_file_whose(batch, &whose) != STATUS_OK ||
        mark_write(disk->files, whose) != STATUS_OK)
        return;
    log_notice("photo_directory %s: marked as the one of this database", disk->directory);
}

static void open_again(struct disk *disk, struct db_batch *batch)
{
    char marked[MARK_SIZE];
    enum disk_state before = disk->state;
    disk->state = disk_find(disk->directory, batch, marked);
    int error = errno;
    if (disk->state == DISK_OURS)
        disk->files = files_open(disk->directory);
    if (disk->state == DISK_OURS && disk->files == NULL)
        disk->state = DISK_UNUSABLE;
    say(disk, before, error);
    if (disk->files != NULL)
        mark_new(disk, batch, marked);
    db_batch_reset(batch);
}

bool disk_is_due(const struct disk *disk)
{
    return clock_milliseconds() >= disk->look_at;
}

void disk_look(struct disk *disk, struct db_batch *batch)
{
    if (disk->files != NULL && !files_are_there(disk->files))
        files_close(&disk->files);
    if (disk->files == NULL)
        open_again(disk, batch);
    disk->look_at = clock_milliseconds() + (disk->files != NULL            ? LOOK_EACH
                                            : disk->state != DISK_UNUSABLE ? TRY_EACH
                                                                           : REFUSED_EACH);
}

void disk_close(struct disk *disk)
{
    files_close(&disk->files);
}

/* Room ---------------------------------------------------------------------------------------- */

int64_t disk_bytes(const struct files *files)
{
    struct statvfs found;
    if (fstatvfs(files->root, &found) != 0)
        return -1;
    return (int64_t)found.f_bavail * (int64_t)found.f_frsize;
}

int64_t disk_files(const struct files *files)
{
    struct statvfs found;
    /* File systems that count no files say 0 of 0. */
    if (fstatvfs(files->root, &found) != 0 || found.f_files == 0)
        return -1;
    return (int64_t)found.f_favail;
}
