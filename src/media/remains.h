/*
 * Deletes the files of photos and icons that were deleted (schema/0006-photo.sql). The worker that
 * has deleted the rows does so after its answer. If that takes long, the indexer goes on. Another
 * deletion, or mapdiaryctl photo sweep, deletes files that are left.
 */
#ifndef MAPDIARY_MEDIA_REMAINS_H
#define MAPDIARY_MEDIA_REMAINS_H

#include "db/batch.h"
#include "media/files.h"

/** Deletes those that no photo names, and which nobody is about to name, in transactions of the
 * batch's own, for so many milliseconds. True where none is left; where the disk or the database
 * will not, the reason is logged. While mapdiaryctl puts files, they stay. */
bool remains_delete(const struct files *files, struct db_batch *batch, int64_t most) MUST_CHECK;

#endif
