#include "store/session.h"

#include "store/claim.h"
#include "store/run.h"
#include "store/statements.h"

static const struct db_rows *add(struct db_batch *batch, const struct db_statement *statement,
                                 const struct session_claim *claim)
{
    return DB_ADD(batch, statement, db_integer(claim->user_id),
                  db_bytes(claim->token_hash, sizeof claim->token_hash));
}

const struct db_rows *session_find_add(struct db_batch *batch, const struct session_claim *claim)
{
    return add(batch, SQL_SESSION_FIND, claim);
}

const struct db_rows *session_user_add(struct db_batch *batch,
                                       const unsigned char token_hash[CRYPTO_DIGEST_SIZE])
{
    return DB_ADD(batch, SQL_SESSION_USER, db_bytes(token_hash, CRYPTO_DIGEST_SIZE));
}

void session_check_add(struct db_batch *batch, const struct session_claim *claim)
{
    add(batch, SQL_SESSION_CHECK, claim);
}

void session_require_add(struct db_batch *batch, const struct session_claim *claim)
{
    add(batch, SQL_SESSION_REQUIRE, claim);
}

void session_end_add(struct db_batch *batch, const struct session_claim *claim)
{
    add(batch, SQL_SESSION_END, claim);
}

const struct db_rows *session_revoke_all_add(struct db_batch *batch, int64_t user_id)
{
    return DB_ADD(batch, SQL_SESSION_REVOKE_ALL, db_integer(user_id));
}

enum status session_insert(struct db_batch *batch, const struct session_claim *claim,
                           int64_t lifetime, const char *password_hash)
{
    DB_ADD(batch, SQL_SESSION_PURGE_USER, db_integer(claim->user_id));
    const struct db_rows *inserted = DB_ADD(batch, SQL_SESSION_INSERT, db_integer(claim->user_id),
                                            db_bytes(claim->token_hash, sizeof claim->token_hash),
                                            db_integer(lifetime), db_text(password_hash));
    add(batch, SQL_SESSION_TRIM, claim);
    return store_run(batch, inserted, STATUS_USER_NOT_FOUND);
}

enum status session_list(struct db_batch *batch, int64_t user_id, db_row_function *function,
                         void *context)
{
    DB_STREAM(batch, SQL_SESSION_LIST, function, context, db_integer(user_id));
    return db_batch_run(batch);
}

enum status session_revoke(struct db_batch *batch,
                           const unsigned char token_hash[CRYPTO_DIGEST_SIZE])
{
    return store_run(batch,
                     DB_ADD(batch, SQL_SESSION_REVOKE, db_bytes(token_hash, CRYPTO_DIGEST_SIZE)),
                     STATUS_NOT_FOUND);
}

enum status session_revoke_all(struct db_batch *batch, int64_t user_id, int64_t *count)
{
    const struct db_rows *rows = session_revoke_all_add(batch, user_id);
    enum status status = db_batch_run(batch);
    *count = (int64_t)db_rows_count(rows);
    return status;
}

enum status session_purge(struct db_batch *batch, int64_t *count)
{
    const struct db_rows *rows = db_batch_add(batch, SQL_SESSION_PURGE, NULL, 0);
    claim_purge_add(batch);
    db_batch_add(batch, SQL_SESSION_PURGE_FAILURES, NULL, 0);
    return store_run_integer(batch, rows, STATUS_INTERNAL, count);
}
