/*
 * The mark of the folder of photos: whose it is. So nobody takes files from it by the word of
 * another database, which names none of them.
 */
#ifndef MAPDIARY_MEDIA_MARK_H
#define MAPDIARY_MEDIA_MARK_H

#include "media/files.h"

enum { MARK_SIZE = 64 };

/** Reads whose the open folder is; nothing if it has no mark. False with errno. */
bool mark_find(int root, char whose[static MARK_SIZE]);

/** Writes whose it is, a line without its end; nothing where it has no mark yet.
 * STATUS_UNAVAILABLE, with the reason logged. */
enum status mark_read(const struct files *files, char whose[static MARK_SIZE]) MUST_CHECK;

/** Marks it, in the place of another mark. STATUS_UNAVAILABLE, with the reason logged. */
enum status mark_write(const struct files *files, const char *whose) MUST_CHECK;

#endif
