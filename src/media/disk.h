/*
 * Whether the folder of photos is there, and is the one of this database. A disk that is not
 * mounted leaves an empty folder, and another disk may have the photos of another service: nothing
 * is read or written there.
 */
#ifndef MAPDIARY_MEDIA_DISK_H
#define MAPDIARY_MEDIA_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "db/batch.h"
#include "media/files.h"
#include "media/mark.h"

enum disk_state {
    DISK_OURS,
    DISK_MISSING,    /* it cannot be opened, by errno */
    DISK_UNREADABLE, /* its mark, by errno */
    DISK_EMPTY,      /* without a mark and without photos, which the database has */
    DISK_OTHERS,     /* with the mark of another database */
    DISK_UNUSABLE,   /* ours, and files cannot be put there; the log says why */
    DISK_UNKNOWN     /* the database does not say */
};

/** What is there. The mark is empty if there is none; errno tells why a folder is missing. Nothing
 * is made. */
enum disk_state disk_find(const char *directory, struct db_batch *batch,
                          char marked[static MARK_SIZE]);

/** The state in words, without the reason in errno. */
const char *disk_words(enum disk_state state);

/* The folder as a process has it that serves requests. */
struct disk {
    const char *directory;
    struct files *files; /* NULL: it cannot be used */
    enum disk_state state;
    int64_t look_at; /* clock_milliseconds() of the next look */
};

/** True if the last look is some time ago: a second, or a few if the folder could not be used. */
bool disk_is_due(const struct disk *disk);
/**
 * Looks at the folder anew: closes what has gone or has another in its place, and
 * opens what has come. A new folder gets its mark. What changes is logged. The batch is reset.
 */
void disk_look(struct disk *disk, struct db_batch *batch);
void disk_close(struct disk *disk);

/** Bytes that are free for the service on the folder's file system; -1 where it does not say. */
int64_t disk_bytes(const struct files *files);
/** How many files more the file system has room for; negative if it does not say so. */
int64_t disk_files(const struct files *files);

#endif
