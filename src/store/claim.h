/*
 * The record by which a write is carried out once, whatever worker or machine it comes to, and by
 * which its answer is given again. What names the write is its signature, or a key that its user
 * has chosen.
 */
#ifndef MAPDIARY_STORE_CLAIM_H
#define MAPDIARY_STORE_CLAIM_H

#include <stdint.h>

#include "base/crypto.h"
#include "base/status.h"
#include "db/batch.h"

enum { CLAIM_ID_SIZE = 32 };
_Static_assert((int)CLAIM_ID_SIZE == (int)CRYPTO_MAC_SIZE, "a signature");
_Static_assert((int)CLAIM_ID_SIZE == (int)CRYPTO_DIGEST_SIZE, "the hash of a user and a key");

struct claim {
    unsigned char id[CLAIM_ID_SIZE];
    bool by_key;                               /* else by a signature */
    int64_t time;                              /* that was signed: seconds since the epoch */
    unsigned char request[CRYPTO_DIGEST_SIZE]; /* with a key: the hash of what is asked */
    int64_t asker;                             /* whose session sent it */
    int64_t owner;                   /* the user with whom the record goes; 0: it outlives all */
    const unsigned char *token_hash; /* of the session (CRYPTO_DIGEST_SIZE); NULL: of none */
};

/* An answer, in every format that a write has. */
struct claim_answer {
    const char *headers; /* lines that end in CR LF */
    const char *xml, *json;
};

/**
 * Adds a claim for the batch's transaction. It waits for another transaction that has made it;
 * then, or where the record has it, the batch ends with STATUS_REQUEST_REPLAYED. A claim by
 * signature lasts as long as its time is good, one by key for a day. It must outlive the run, here
 * and below.
 */
void claim_add(struct db_batch *batch, const struct claim *claim);

/** Adds that the answer stands beside a claim of the same transaction. */
void claim_keep_add(struct db_batch *batch, const struct claim *claim,
                    const struct claim_answer *answer);

/** Adds the query for the record that stands in the way of a claim. */
const struct db_rows *claim_find_add(struct db_batch *batch, const struct claim *claim);

/**
 * What that has found; the answer is there until db_batch_reset(). STATUS_NOT_FOUND where there is
 * no record. STATUS_REQUEST_REPLAYED where its answer is not for this request: that of a signature
 * is for the session that sent it, that of a key for the same request of its user.
 * STATUS_LOGIN_REQUIRED where it is not for this session, which is no session of the user's: the
 * request that ended it is answered to it alone.
 */
enum status claim_read(const struct db_rows *rows, struct claim_answer *answer) MUST_CHECK;

/** Adds that what has expired of the record goes. */
void claim_purge_add(struct db_batch *batch);

#endif
