#include "store/claim.h"

#include "store/registry.h"

enum { CLAIM, KEEP, FIND, PURGE };

/* $2 is the hash of a token, $3 that of a request, $4 the user who asks. */
#define IS_KNOWN                                                                   \
    "(request_hash IS NULL OR (token_hash = $2 AND request_hash = $3)"             \
    " OR EXISTS (SELECT FROM session s WHERE s.user_id = $4 AND s.token_hash = $2" \
    " AND s.expires_at > now()))"
#define IS_SAME                                                                      \
    "(headers IS NOT NULL AND CASE WHEN request_hash IS NULL THEN token_hash IS NOT" \
    " DISTINCT FROM $2 ELSE request_hash IS NOT DISTINCT FROM $3 END)"

const struct db_statement claim_statements[] = {
    [CLAIM] = {"claim_add", "SELECT claim_write($1, $2, $3, $4, $5) IS NULL", "b", true,
               DB_SERVICE},
    [KEEP] = {"claim_keep",
              "UPDATE claimed_write SET headers = $2, xml = $3, json = $4 WHERE claim = $1", "",
              true, DB_SERVICE},
    [FIND] = {"claim_find",
              "SELECT " IS_KNOWN ", " IS_SAME ", headers, xml, json FROM claimed_write"
              " WHERE claim = $1 AND expires_at >= clock_timestamp()",
              "bbttt", false, DB_SERVICE},
    [PURGE] = {"claim_purge", "DELETE FROM claimed_write WHERE expires_at <= now()", "", true,
               DB_ADMIN},
    DB_STATEMENTS_END,
};

static struct db_value id_of(const struct claim *claim)
{
    return db_bytes(claim->id, sizeof claim->id);
}

static struct db_value time_of(const struct claim *claim)
{
    return claim->by_key ? db_text(NULL) : db_integer(claim->time);
}

static struct db_value request_of(const struct claim *claim)
{
    return claim->by_key ? db_bytes(claim->request, sizeof claim->request) : db_text(NULL);
}

static struct db_value token_hash_of(const struct claim *claim)
{
    return claim->token_hash == NULL ? db_text(NULL)
                                     : db_bytes(claim->token_hash, CRYPTO_DIGEST_SIZE);
}

void claim_add(struct db_batch *batch, const struct claim *claim)
{
    DB_ADD(batch, &claim_statements[CLAIM], id_of(claim), time_of(claim), request_of(claim),
           token_hash_of(claim), db_id(claim->owner));
}

void claim_keep_add(struct db_batch *batch, const struct claim *claim,
                    const struct claim_answer *answer)
{
    DB_ADD(batch, &claim_statements[KEEP], id_of(claim), db_text(answer->headers),
           db_text(answer->xml), db_text(answer->json));
}

const struct db_rows *claim_find_add(struct db_batch *batch, const struct claim *claim)
{
    return DB_ADD(batch, &claim_statements[FIND], id_of(claim), token_hash_of(claim),
                  request_of(claim), db_integer(claim->asker));
}

enum status claim_read(const struct db_rows *rows, struct claim_answer *answer)
{
    if (db_rows_count(rows) == 0)
        return STATUS_NOT_FOUND;
    struct db_row row = db_row(rows, 0);
    if (!db_read_boolean(&row))
        return STATUS_LOGIN_REQUIRED;
    if (!db_read_boolean(&row))
        return STATUS_REQUEST_REPLAYED;
    answer->headers = db_read_text(&row);
    answer->xml = db_read_text(&row);
    answer->json = db_read_text(&row);
    return STATUS_OK;
}

void claim_purge_add(struct db_batch *batch)
{
    db_batch_add(batch, &claim_statements[PURGE], NULL, 0);
}
