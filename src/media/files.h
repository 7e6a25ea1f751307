/*
 * Where photos lie: files in one folder, named by the SHA-256 of their content, so that equal bytes
 * are there once. The only place that knows of paths.
 *
 *     originals/ab/abcd...   what was sent, for the service's user alone
 *     pictures/ab/abcd...    what is published of it; whoever knows its name may read it
 *     public/photos/...      links to some of the latter: media/publication.h
 *     gone/...               what is on its way out
 *     database               whose these are: media/mark.h
 *
 * A file is complete, and on the disk, before it has its name.
 */
#ifndef MAPDIARY_MEDIA_FILES_H
#define MAPDIARY_MEDIA_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/crypto.h"
#include "base/status.h"

struct files;

enum files_room { FILES_ORIGINALS, FILES_PICTURES, FILES_ROOMS };

/** Opens the folder, and makes what is missing in it. NULL, with the reason logged, if the folder
 * is missing or cannot be written. */
struct files *files_open(const char *directory);
void files_close(struct files **files);

/** False if the folder has gone since it was opened, or another one is in its place. */
bool files_are_there(const struct files *files);

/** A new file without a name, for files_put(): a descriptor, or -1, with the reason logged. */
int files_new(const struct files *files);

/**
 * Gives a file of files_new() its name, once it is on the disk. Where that name is there already,
 * the file counts as put anew, and this one goes with its descriptor, which stays the caller's.
 * STATUS_UNAVAILABLE, with the reason logged, where the disk will not.
 */
enum status files_put(const struct files *files, enum files_room room, int descriptor,
                      const unsigned char *digest) MUST_CHECK;

/** Opens a file for reading: a descriptor, or -1, with the reason in errno. */
int files_get(const struct files *files, enum files_room room, const unsigned char *digest);

struct files_entry {
    unsigned char digest[CRYPTO_DIGEST_SIZE];
    int64_t length;       /* in bytes */
    int64_t put_at;       /* seconds since the epoch: when it was put last, */
    long put_nanoseconds; /* and beyond these */
};

/** STATUS_NOT_FOUND if there is no such file; STATUS_UNAVAILABLE, logged, if the disk does not say.
 */
enum status files_head(const struct files *files, enum files_room room, const unsigned char *digest,
                       struct files_entry *entry) MUST_CHECK;

/** As files_head(), for a caller that may delete the file. If the file was put in this tick of the
 * clock, the function waits for the next tick: a file that is put anew has another time then.
 * STATUS_NOT_FOUND if the file is put all the time. */
enum status files_head_settled(const struct files *files, enum files_room room,
                               const unsigned char *digest, struct files_entry *entry) MUST_CHECK;

/** Deletes a file, unless it was put anew since the caller saw it. STATUS_NOT_FOUND where it is not
 * there, STATUS_CONFLICT where it stays. */
enum status files_delete(const struct files *files, enum files_room room,
                         const struct files_entry *entry) MUST_CHECK;

typedef enum status files_function(void *context, enum files_room room,
                                   const struct files_entry *entry);

/** Calls the function for each file of a room, in the order of their names, until it answers
 * anything but STATUS_OK, which is the answer then. What is no file of ours is logged, and left
 * out. */
enum status files_list(const struct files *files, enum files_room room, files_function *function,
                       void *context) MUST_CHECK;

/** Writes the path of a picture within photo_directory, "pictures/ab/abcd...", as web servers are
 * told it. */
enum { FILES_PATH_SIZE = 80 };
void files_path(const unsigned char *digest, char *path);
/** The same of a file of any room, for an operator. */
void files_path_in(enum files_room room, const unsigned char *digest, char *path);

/** Removes what has been on its way out for so many seconds, such as what a crash left there. */
enum status files_empty(const struct files *files, int64_t seconds) MUST_CHECK;

#endif
