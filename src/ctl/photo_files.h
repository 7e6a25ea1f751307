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

/** EXIT_DONE if the folder has files of photos, of whatever database. Else the reason is logged:
 * the folder is missing, or is empty while the database has photos, since its disk is not mounted.
 * The database is asked by a connection of its own, as is done by photo_files_open(). */
int photo_files_check(const struct config *config);

/** Opens the folder if it is the one of this database. NULL, with the reason logged, if not. */
struct files *photo_files_open(const struct config *config);

extern const struct parameter photo_verify_parameters[];
int photo_verify(struct invocation *run);

#endif
