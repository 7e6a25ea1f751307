/*
 * A file that a command writes: its caller's alone (mode 0600), and whole. It is made under another
 * name and takes its own at the end, so whatever has that name before stays until then, keeps its
 * bytes where it is a link's target, and is never read and written at once.
 */
#ifndef MAPDIARY_CLI_NEW_FILE_H
#define MAPDIARY_CLI_NEW_FILE_H

#include <stdio.h>

#include "base/status.h"

/* All zeros is no file. */
struct new_file {
    char *path;
    char *temporary; /* NULL: the path is written to, as a pipe or a device is */
    FILE *file;
};

/** Opens a file for writing. STATUS_INTERNAL, logged: it cannot be made, or the path is a link. */
enum status new_file_open(struct new_file *file, const char *path) MUST_CHECK;

/** The same, but for NULL and "-", which stand for standard output. */
enum status new_file_open_output(struct new_file *file, const char *path) MUST_CHECK;

/** Gives the file its name. STATUS_INTERNAL, logged, where not all of it could be written: then
 * there is none. Does nothing for no file. */
enum status new_file_keep(struct new_file *file) MUST_CHECK;

/** Removes the file, if it is not kept. */
void new_file_drop(struct new_file *file);

#endif
