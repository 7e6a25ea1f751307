/*
 * The check of an application key. The database holds its identifier, and no secret.
 */
#ifndef MAPDIARY_STORE_KEY_H
#define MAPDIARY_STORE_KEY_H

#include <stdint.h>

#include "base/status.h"
#include "db/batch.h"

enum { KEY_ID_SIZE = 16, KEY_ID_DIGITS = 2 * KEY_ID_SIZE };

/** Adds the check that ends the whole batch with STATUS_KEY_UNKNOWN unless there is such a key. The
 * identifier must outlive the run, here and below. */
void key_require_add(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE]);

/** The same, and with STATUS_TIMESTAMP_EXPIRED unless the time (seconds since the epoch) is within
 * 300 s of the database's clock. */
void key_require_timely_add(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE],
                            int64_t time);

#endif
