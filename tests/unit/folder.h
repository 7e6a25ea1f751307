/*
 * A folder of photos for a test, in a temporary folder, and what is in it.
 */
#ifndef MAPDIARY_TESTS_FOLDER_H
#define MAPDIARY_TESTS_FOLDER_H

#include <sys/stat.h>

#include "media/files.h"

extern char folder_path[];         /* of photo_directory */
extern struct files *folder_files; /* opened */

/* Setup and teardown. */
int folder_begin(void **state);
int folder_end(void **state);

/** The digest of that number; the first byte is the number's last. */
void folder_digest(int number, unsigned char digest[static CRYPTO_DIGEST_SIZE]);

/** Puts a file with these bytes. */
enum status folder_put(enum files_room room, const unsigned char *digest, const char *bytes);

/** lstat() of what is there, by its path in the folder, which is a format. */
bool folder_stat(struct stat *found, const char *path, ...) __attribute__((format(printf, 2, 3)));

/** Makes it as old as 2001. */
void folder_age(enum files_room room, const unsigned char *digest);

/** How many names there are in one of its folders. */
int folder_count(const char *path);

#endif
