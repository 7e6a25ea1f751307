/*
 * Takes from its address what a transaction is about to delete or to make private.
 */
#ifndef MAPDIARY_MEDIA_WITHDRAWAL_H
#define MAPDIARY_MEDIA_WITHDRAWAL_H

#include "media/files.h"
#include "store/photo_file.h"

/** Withdraws all of these rows, before the transaction is committed that has found them. The files
 * may be NULL where there are none. STATUS_UNAVAILABLE, with the reason logged. */
enum status withdraw_all(const struct files *files, const struct db_rows *published) MUST_CHECK;

#endif
