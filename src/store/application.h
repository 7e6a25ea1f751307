/*
 * Application keys as an administrator looks after them. Their secrets are not in the database.
 */
#ifndef MAPDIARY_STORE_APPLICATION_H
#define MAPDIARY_STORE_APPLICATION_H

#include "store/key.h"

enum status application_insert(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE],
                               const char *name) MUST_CHECK;

/** Streams all keys, the oldest first; the columns are named. */
enum status application_list(struct db_batch *batch, db_row_function *function,
                             void *context) MUST_CHECK;

/** From the next request on no signature of the key is accepted. Revoking it again changes nothing.
 * STATUS_NOT_FOUND where there never was such a key. */
enum status application_revoke(struct db_batch *batch,
                               const unsigned char id[KEY_ID_SIZE]) MUST_CHECK;

#endif
