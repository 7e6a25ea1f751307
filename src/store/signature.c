#include "store/signature.h"

#include "store/statements.h"

enum { CLAIM, KEEP, FIND };

const struct db_statement signature_statements[] = {
    [CLAIM] = {"signature_claim", "SELECT claim_signature($1, $2, $3) IS NULL", "b", true},
    [KEEP] = {"signature_keep",
              "UPDATE signed_request SET headers = $2, document = $3 WHERE signature = $1", "",
              true},
    [FIND] = {"signature_find",
              "SELECT headers, document FROM signed_request"
              " WHERE signature = $1 AND token_hash = $2 AND document IS NOT NULL",
              "tt", false},
    DB_STATEMENTS_END,
};

static struct db_value token_hash_of(const struct signature_claim *claim)
{
    return claim->token_hash == NULL ? db_text(NULL)
                                     : db_bytes(claim->token_hash, CRYPTO_DIGEST_SIZE);
}

void signature_claim_add(struct db_batch *batch, const struct signature_claim *claim)
{
    DB_ADD(batch, &signature_statements[CLAIM], db_bytes(claim->signature, CRYPTO_MAC_SIZE),
           db_integer(claim->time), token_hash_of(claim));
}

enum status signature_keep(struct db_batch *batch, const struct signature_claim *claim,
                           const struct signature_answer *answer)
{
    db_batch_continue(batch);
    DB_ADD(batch, &signature_statements[KEEP], db_bytes(claim->signature, CRYPTO_MAC_SIZE),
           db_text(answer->headers), db_text(answer->document));
    return db_batch_run(batch);
}

enum status signature_find(struct db_batch *batch, const struct signature_claim *claim,
                           struct signature_answer *answer)
{
    db_batch_reset(batch);
    const struct db_rows *rows =
        DB_ADD(batch, &signature_statements[FIND], db_bytes(claim->signature, CRYPTO_MAC_SIZE),
               token_hash_of(claim));
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    if (db_rows_count(rows) == 0)
        return STATUS_REQUEST_REPLAYED;
    struct db_row row = db_row(rows, 0);
    answer->headers = db_read_text(&row);
    answer->document = db_read_text(&row);
    return STATUS_OK;
}
