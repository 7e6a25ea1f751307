/*
 * Sessions as an administrator looks after them: each known by the hash of its token, which is of
 * no use to log in with.
 */
#ifndef MAPDIARY_STORE_LOGIN_H
#define MAPDIARY_STORE_LOGIN_H

#include "base/crypto.h"
#include "base/status.h"
#include "db/batch.h"

/** Streams the sessions of a user, or with 0 of all, that have not expired, by user; the columns
 * are named. */
enum status login_list(struct db_batch *batch, int64_t user_id, db_row_function *function,
                       void *context) MUST_CHECK;

/** STATUS_NOT_FOUND. */
enum status login_revoke(struct db_batch *batch,
                         const unsigned char token_hash[CRYPTO_DIGEST_SIZE]) MUST_CHECK;

/** Ends all sessions of a user, and says how many those were. */
enum status login_revoke_all(struct db_batch *batch, int64_t user_id, int64_t *count) MUST_CHECK;

/** Deletes what has expired (sessions, the record of signed writes, forgotten failures to log in),
 * and says how many sessions those were. */
enum status login_purge(struct db_batch *batch, int64_t *count) MUST_CHECK;

#endif
