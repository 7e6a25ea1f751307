/*
 * Which rows name the files of photos, and the memory of those that none does.
 */
#ifndef MAPDIARY_STORE_PHOTO_FILE_H
#define MAPDIARY_STORE_PHOTO_FILE_H

#include "db/batch.h"

/**
 * Of files, as an array of digests in hexadecimal, "{ab..,cd..}": those that no row names, an
 * icon's or a photo's, are marked from now on, if they are not already, and all others not any
 * more. The rows are the marked ones, in order: the place in the array, from 1 on, and whether it
 * has been marked for that many seconds.
 */
enum status photo_file_mark(struct db_batch *batch, const char *digests, int64_t seconds,
                            const struct db_rows **rows) MUST_CHECK;

/** Forgets such marks. */
enum status photo_file_forget(struct db_batch *batch, const char *digests) MUST_CHECK;

/**
 * Of an array of addresses below /photos/, "{a12/0123..,u30/4567..}", those that no row says
 * anybody may see. The rows are their places in the array, from 1 on.
 */
enum status photo_file_ask_public(struct db_batch *batch, const char *addresses,
                                  const struct db_rows **rows) MUST_CHECK;

/** By what this database is known from all others, that of its dump aside: when its schema was
 * made. The text lives until db_batch_reset(). */
enum status photo_file_whose(struct db_batch *batch, const char **whose) MUST_CHECK;

/** Streams all names of files: photo, user (whose icon it is; either is 0), whether it is what was
 * sent, digest in hexadecimal. */
enum status photo_file_list(struct db_batch *batch, db_row_function *function,
                            void *context) MUST_CHECK;

#endif
