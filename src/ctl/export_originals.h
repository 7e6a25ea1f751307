/*
 * The photos of a user, as they were sent, in an archive.
 */
#ifndef MAPDIARY_CTL_EXPORT_ORIGINALS_H
#define MAPDIARY_CTL_EXPORT_ORIGINALS_H

#include "cli/command.h"
#include "ctl/archive.h"

/** Adds each as photos/ID.ENDING. STATUS_NOT_FOUND, with the reason logged, where a file is
 * missing. */
enum status export_originals(struct invocation *run, struct archive_file *archive,
                             int64_t user_id) MUST_CHECK;

#endif
