/*
 * Sessions as the database holds them: by the hash of their token, which is of no use to log in
 * with.
 */
#ifndef MAPDIARY_STORE_SESSION_H
#define MAPDIARY_STORE_SESSION_H

#include "base/crypto.h"
#include "base/status.h"
#include "db/batch.h"

/* What a request claims to be. */
struct session_claim {
    int64_t user_id;
    unsigned char token_hash[CRYPTO_DIGEST_SIZE];
};

/** Adds a query that has one row where the claim is true. The claim must outlive the run, here and
 * below. */
const struct db_rows *session_find_add(struct db_batch *batch, const struct session_claim *claim);

/** Adds a query for the user whose session has that token: one row, or none. */
const struct db_rows *session_user_add(struct db_batch *batch,
                                       const unsigned char token_hash[CRYPTO_DIGEST_SIZE]);

/** Adds the check, for a read, that ends it with STATUS_LOGIN_REQUIRED unless the claim is true. */
void session_check_add(struct db_batch *batch, const struct session_claim *claim);

/** Adds the check that aborts the whole transaction with STATUS_LOGIN_REQUIRED unless the claim is
 * true. */
void session_require_add(struct db_batch *batch, const struct session_claim *claim);

/** The same, and the session ends with the transaction. */
void session_end_add(struct db_batch *batch, const struct session_claim *claim);

/** Adds that all sessions of a user end; a row for each. */
const struct db_rows *session_revoke_all_add(struct db_batch *batch, int64_t user_id);

/**
 * Starts a session of so many milliseconds for the user whose password hash, still the same, was
 * verified; NULL for an administrator, who verifies none. Expired sessions of the user go, and the
 * oldest of more than a hundred.
 * STATUS_USER_NOT_FOUND where the account is not there any more, is disabled or blocked, or has
 * another password.
 */
enum status session_insert(struct db_batch *batch, const struct session_claim *claim,
                           int64_t lifetime, const char *password_hash) MUST_CHECK;

/** Streams the sessions of a user, or with 0 of all, that have not expired, by user. */
enum status session_list(struct db_batch *batch, int64_t user_id, db_row_function *function,
                         void *context) MUST_CHECK;

/** STATUS_NOT_FOUND. */
enum status session_revoke(struct db_batch *batch,
                           const unsigned char token_hash[CRYPTO_DIGEST_SIZE]) MUST_CHECK;

/** Ends all sessions of a user, and says how many those were. */
enum status session_revoke_all(struct db_batch *batch, int64_t user_id, int64_t *count) MUST_CHECK;

/** Deletes what has expired (sessions, the record of signed writes, forgotten failures to log in),
 * and says how many sessions those were. */
enum status session_purge(struct db_batch *batch, int64_t *count) MUST_CHECK;

#endif
