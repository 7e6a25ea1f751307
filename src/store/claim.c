#include "store/claim.h"

#include "store/statements.h"

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
    DB_ADD(batch, SQL_CLAIM_ADD, id_of(claim), time_of(claim), request_of(claim),
           token_hash_of(claim), db_id(claim->owner));
}

void claim_keep_add(struct db_batch *batch, const struct claim *claim,
                    const struct claim_answer *answer)
{
    DB_ADD(batch, SQL_CLAIM_KEEP, id_of(claim), db_text(answer->headers), db_text(answer->xml),
           db_text(answer->json));
}

const struct db_rows *claim_find_add(struct db_batch *batch, const struct claim *claim)
{
    return DB_ADD(batch, SQL_CLAIM_FIND, id_of(claim), token_hash_of(claim), request_of(claim),
                  db_integer(claim->asker));
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
    db_batch_add(batch, SQL_CLAIM_PURGE, NULL, 0);
}
