/*
 * The record by which a signed write is carried out once, whatever worker or machine it comes to.
 */
#ifndef MAPDIARY_STORE_SIGNATURE_H
#define MAPDIARY_STORE_SIGNATURE_H

#include <stdint.h>

#include "base/crypto.h"
#include "base/status.h"
#include "db/batch.h"

struct signature_claim {
    unsigned char signature[CRYPTO_MAC_SIZE];
    int64_t time;                    /* that was signed: seconds since the epoch */
    const unsigned char *token_hash; /* of the session (CRYPTO_DIGEST_SIZE); NULL: of none */
};

/* An answer as it was sent. */
struct signature_answer {
    const char *headers; /* lines that end in CR LF */
    const char *document;
};

/**
 * Adds the claim of a signature for the batch's transaction. It waits for another transaction that
 * has claimed it; then, or where the record has it, the batch ends with STATUS_REQUEST_REPLAYED.
 * The claim must outlive the run, here and below.
 */
void signature_claim_add(struct db_batch *batch, const struct signature_claim *claim);

/** Puts the answer beside the claim that a held batch has made, and commits. */
enum status signature_keep(struct db_batch *batch, const struct signature_claim *claim,
                           const struct signature_answer *answer) MUST_CHECK;

/** The answer that the same session was given, until db_batch_reset(). STATUS_REQUEST_REPLAYED
 * where there is none for it. */
enum status signature_find(struct db_batch *batch, const struct signature_claim *claim,
                           struct signature_answer *answer) MUST_CHECK;

#endif
