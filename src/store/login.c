#include "store/login.h"

#include "store/admin.h"
#include "store/session.h"

enum { LIST, REVOKE, PURGE, PURGE_CLAIMS, PURGE_FAILURES };

const struct db_statement login_statements[] = {
    [LIST] = {"login_list",
              "SELECT encode(s.token_hash, 'hex') AS session, s.user_id AS \"userID\","
              " u.email::text, s.created_at AS created, s.expires_at AS expires"
              " FROM session s JOIN user_account u USING (user_id)"
              " WHERE s.expires_at > now() AND ($1::bigint = 0 OR s.user_id = $1)"
              " ORDER BY s.user_id, s.created_at, s.token_hash",
              "tltzz", false},
    [REVOKE] = {"login_revoke", "DELETE FROM session WHERE token_hash = $1 RETURNING true", "b",
                true},
    [PURGE] = {"login_purge",
               "WITH purged AS (DELETE FROM session WHERE expires_at <= now() RETURNING true)"
               " SELECT count(*) FROM purged",
               "l", true},
    [PURGE_CLAIMS] = {"login_purge_claims", "DELETE FROM claimed_write WHERE expires_at <= now()",
                      "", true},
    [PURGE_FAILURES] = {"login_purge_failures",
                        "DELETE FROM login_throttle WHERE last_attempt < now() - interval '1 day'",
                        "", true},
    DB_STATEMENTS_END,
};

enum status login_list(struct db_batch *batch, int64_t user_id, db_row_function *function,
                       void *context)
{
    DB_STREAM(batch, &login_statements[LIST], function, context, db_integer(user_id));
    return db_batch_run(batch);
}

enum status login_revoke(struct db_batch *batch, const unsigned char token_hash[CRYPTO_DIGEST_SIZE])
{
    const struct db_rows *rows =
        DB_ADD(batch, &login_statements[REVOKE], db_bytes(token_hash, CRYPTO_DIGEST_SIZE));
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    return db_rows_count(rows) == 0 ? STATUS_NOT_FOUND : STATUS_OK;
}

enum status login_revoke_all(struct db_batch *batch, int64_t user_id, int64_t *count)
{
    const struct db_rows *rows = session_revoke_all_add(batch, user_id);
    enum status status = db_batch_run(batch);
    *count = (int64_t)db_rows_count(rows);
    return status;
}

enum status login_purge(struct db_batch *batch, int64_t *count)
{
    const struct db_rows *rows = db_batch_add(batch, &login_statements[PURGE], NULL, 0);
    db_batch_add(batch, &login_statements[PURGE_CLAIMS], NULL, 0);
    db_batch_add(batch, &login_statements[PURGE_FAILURES], NULL, 0);
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    *count = db_read_integer(&row);
    return STATUS_OK;
}
