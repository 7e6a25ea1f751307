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

/** False, with the reason logged, if the folder is missing, or is empty though the database has
 * photos: then its disk is not there. */
bool photo_files_are_there(struct invocation *run);

extern const struct parameter photo_verify_parameters[];
int photo_verify(struct invocation *run);

#endif
