/*
 * Folders, for files.c and publication.c alone.
 */
#ifndef MAPDIARY_MEDIA_FOLDER_H
#define MAPDIARY_MEDIA_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/status.h"

enum { FOLDER_ROOMS = 2 };

/* Descriptors of the folders. */
struct files {
    char *directory;
    int root, public, gone;
    int rooms[FOLDER_ROOMS]; /* by enum files_room */
};

/* Of a folder that others may go through, but not look into. */
enum { FOLDER_PASSED = 0711, FOLDER_OWN = 0700 };

/** Logs why the folder does not do what it should, from errno; the answer is STATUS_UNAVAILABLE. */
enum status folder_fail(const struct files *files, const char *what);

/** True where the folder is there then; one that it makes has that mode, whatever the umask. Made
 * by root, the folder belongs to the owner of the folder above, so that the service can use it. */
bool folder_make(int parent, const char *path, mode_t mode);
/** Gives a file that root has made to the owner of the folder; false with errno. */
bool folder_give_file(int folder, int file);

/** A descriptor, or -1, each with errno. */
int folder_open(int parent, const char *path);
int folder_make_and_open(int parent, const char *path, mode_t mode);
/** Closes it, where it is one; errno stays. */
void folder_close(int folder);

/** The names in a folder, but for "." and "..", in their order; the caller frees each and all. NULL
 * with errno. */
char **folder_names(int folder, size_t *count);
void folder_free_names(char **names, size_t count);

enum { FOLDER_RANDOM_SIZE = 33 };
/** A name that nothing has. */
void folder_random(char name[static FOLDER_RANDOM_SIZE]);

/** Removes a file, or a folder with all that is in it, as far as that goes. */
void folder_remove(int parent, const char *name);

#endif
