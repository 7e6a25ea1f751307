/*
 * Photos of an import that are files.
 */
#ifndef MAPDIARY_CTL_IMPORT_FILES_H
#define MAPDIARY_CTL_IMPORT_FILES_H

#include "base/buffer.h"
#include "ctl/picture.h"
#include "db/batch.h"

struct import_files {
    const char *folder;          /* where they are */
    struct picture_maker *maker; /* NULL: there were none yet */
};

/** Makes of a file what is to be staged with its row, in the arena. Other statuses than STATUS_OK
 * and STATUS_UNAVAILABLE are faults of the row alone. */
enum status import_files_make(struct import_files *files, const struct config *config,
                              const char *name, struct arena *arena,
                              struct photo_upload *upload) MUST_CHECK;

/** Adds that to the row, behind its columns; NULL where it has none. */
void import_files_stage(struct buffer *staged, const struct photo_upload *upload);

/** Once the rows are there: photo_files_measure(), if there were files. */
enum status import_files_measure(const struct import_files *files,
                                 struct db_batch *batch) MUST_CHECK;

void import_files_close(struct import_files *files);

#endif
