/*
 * Archives of files that are made one after the other: https://www.libarchive.org/
 */
#ifndef MAPDIARY_CTL_ARCHIVE_H
#define MAPDIARY_CTL_ARCHIVE_H

#include <stdio.h>

#include "base/status.h"

struct archive_file;

enum archive_format { ARCHIVE_TAR, ARCHIVE_ZIP };

/** Begins an archive in a file that stays the caller's; the path is for messages. STATUS_INTERNAL,
 * logged; so all below. */
enum status archive_begin(struct archive_file **archive, FILE *out, const char *path,
                          enum archive_format format) MUST_CHECK;
/** Adds a file of what the stream has, from its start. */
enum status archive_add(struct archive_file *archive, const char *name, FILE *content) MUST_CHECK;
/** Ends it, and sets the pointer to NULL. Does nothing for NULL. */
enum status archive_finish(struct archive_file **archive) MUST_CHECK;

#endif
