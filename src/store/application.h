/*
 * Application keys. The database holds their identifiers, and no secret: those are computed from
 * the master key (auth/key.h).
 */
#ifndef MAPDIARY_STORE_APPLICATION_H
#define MAPDIARY_STORE_APPLICATION_H

#include <stdint.h>

#include "base/status.h"
#include "db/batch.h"
#include "model/application.h"

/** Adds the check that ends the whole batch with STATUS_KEY_UNKNOWN unless there is such a key. The
 * identifier must outlive the run, here and below. */
void application_require_add(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE]);

/** The same, and with STATUS_TIMESTAMP_EXPIRED unless the time (seconds since the epoch) is within
 * 300 s of the database's clock. */
void application_require_timely_add(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE],
                                    int64_t time);

enum status application_insert(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE],
                               const char *name) MUST_CHECK;

/** Streams all keys, the oldest first. */
enum status application_list(struct db_batch *batch, db_row_function *function,
                             void *context) MUST_CHECK;

/** From the next request on no signature of the key is accepted. Revoking it again changes nothing.
 * STATUS_NOT_FOUND where there never was such a key. */
enum status application_revoke(struct db_batch *batch,
                               const unsigned char id[KEY_ID_SIZE]) MUST_CHECK;

#endif
