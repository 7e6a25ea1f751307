/*
 * The commands for the files of photos, of the group photo.
 */
#ifndef MAPDIARY_CTL_PHOTO_FILES_H
#define MAPDIARY_CTL_PHOTO_FILES_H

#include "cli/command.h"
#include "media/files.h"

extern const struct parameter photo_sweep_parameters[];
int photo_sweep(struct invocation *run);

/** Measures what the pictures of photos take of which that is not known, as of those that were
 * imported. */
enum status photo_files_measure(struct db_batch *batch, const struct files *files) MUST_CHECK;

/** EXIT_DONE if the folder has the files of photos. Else the reason is logged: the folder is
 * missing, or is empty while the database has photos, since its disk is not mounted. */
int photo_files_check(struct invocation *run);

extern const struct parameter photo_verify_parameters[];
int photo_verify(struct invocation *run);

#endif
