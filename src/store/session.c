#include "store/session.h"

#include "store/claim.h"
#include "store/registry.h"
#include "store/run.h"

enum {
    FIND,
    CHECK,
    REQUIRE,
    END,
    REVOKE_ALL,
    PURGE_USER,
    INSERT,
    TRIM,
    LIST,
    REVOKE,
    PURGE,
    PURGE_FAILURES
};

const struct db_statement session_statements[] = {
    [FIND] = {"session_find",
              "SELECT true FROM session"
              " WHERE user_id = $1 AND token_hash = $2 AND expires_at > now()",
              "b", false, DB_SERVICE},
    [CHECK] = {"session_check", "SELECT check_session($1, $2) IS NULL", "b", false, DB_SERVICE},
    [REQUIRE] = {"session_require", "SELECT require_session($1, $2) IS NULL", "b", true,
                 DB_SERVICE},
    [END] = {"session_end", "SELECT end_session($1, $2) IS NULL", "b", true, DB_SERVICE},
    [REVOKE_ALL] = {"session_revoke_all", "DELETE FROM session WHERE user_id = $1 RETURNING true",
                    "b", true, DB_ADMIN},
    [PURGE_USER] = {"session_purge_user",
                    "DELETE FROM session WHERE user_id = $1 AND expires_at <= now()", "", true,
                    DB_ALL},
    [INSERT] = {"session_insert",
                "INSERT INTO session (user_id, token_hash, expires_at)"
                " SELECT user_id, $2, now() + $3::bigint * interval '1 millisecond'"
                " FROM user_account WHERE user_id = $1 AND NOT disabled AND NOT blocked"
                " AND ($4::text IS NULL OR password_hash = $4) FOR NO KEY UPDATE RETURNING true",
                "b", true, DB_ALL},
    /* Not what a write has locked, which may wait for what this login has: the next one ends it. */
    [TRIM] = {"session_trim",
              "DELETE FROM session WHERE token_hash IN (SELECT token_hash FROM session"
              " WHERE token_hash IN (SELECT token_hash FROM session WHERE user_id = $1"
              " ORDER BY token_hash = $2 DESC, created_at DESC, token_hash OFFSET 100)"
              " FOR UPDATE SKIP LOCKED)",
              "", true, DB_ALL},
    [LIST] = {"session_list",
              "SELECT encode(s.token_hash, 'hex'), s.user_id, u.email, s.created_at,"
              " s.expires_at"
              " FROM session s JOIN user_account u USING (user_id)"
              " WHERE s.expires_at > now() AND ($1::bigint = 0 OR s.user_id = $1)"
              " ORDER BY s.user_id, s.created_at, s.token_hash",
              "tltzz", false, DB_ADMIN},
    [REVOKE] = {"session_revoke", "DELETE FROM session WHERE token_hash = $1 RETURNING true", "b",
                true, DB_ADMIN},
    [PURGE] = {"session_purge",
               "WITH purged AS (DELETE FROM session WHERE expires_at <= now() RETURNING true)"
               " SELECT count(*) FROM purged",
               "l", true, DB_ADMIN},
    [PURGE_FAILURES] = {"session_purge_failures",
                        "DELETE FROM login_throttle WHERE last_attempt < now() - interval '1 day'",
                        "", true, DB_ADMIN},
    DB_STATEMENTS_END,
};

static const struct db_rows *add(struct db_batch *batch, const struct db_statement *statement,
                                 const struct session_claim *claim)
{
    return DB_ADD(batch, statement, db_integer(claim->user_id),
                  db_bytes(claim->token_hash, sizeof claim->token_hash));
}

const struct db_rows *session_find_add(struct db_batch *batch, const struct session_claim *claim)
{
    return add(batch, &session_statements[FIND], claim);
}

void session_check_add(struct db_batch *batch, const struct session_claim *claim)
{
    add(batch, &session_statements[CHECK], claim);
}

void session_require_add(struct db_batch *batch, const struct session_claim *claim)
{
    add(batch, &session_statements[REQUIRE], claim);
}

void session_end_add(struct db_batch *batch, const struct session_claim *claim)
{
    add(batch, &session_statements[END], claim);
}

const struct db_rows *session_revoke_all_add(struct db_batch *batch, int64_t user_id)
{
    return DB_ADD(batch, &session_statements[REVOKE_ALL], db_integer(user_id));
}

enum status session_insert(struct db_batch *batch, const struct session_claim *claim,
                           int64_t lifetime, const char *password_hash)
{
    DB_ADD(batch, &session_statements[PURGE_USER], db_integer(claim->user_id));
    const struct db_rows *inserted =
        DB_ADD(batch, &session_statements[INSERT], db_integer(claim->user_id),
               db_bytes(claim->token_hash, sizeof claim->token_hash), db_integer(lifetime),
               db_text(password_hash));
    add(batch, &session_statements[TRIM], claim);
    return store_run(batch, inserted, STATUS_USER_NOT_FOUND);
}

enum status session_list(struct db_batch *batch, int64_t user_id, db_row_function *function,
                         void *context)
{
    DB_STREAM(batch, &session_statements[LIST], function, context, db_integer(user_id));
    return db_batch_run(batch);
}

enum status session_revoke(struct db_batch *batch,
                           const unsigned char token_hash[CRYPTO_DIGEST_SIZE])
{
    return store_run(
        batch, DB_ADD(batch, &session_statements[REVOKE], db_bytes(token_hash, CRYPTO_DIGEST_SIZE)),
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
    const struct db_rows *rows = db_batch_add(batch, &session_statements[PURGE], NULL, 0);
    claim_purge_add(batch);
    db_batch_add(batch, &session_statements[PURGE_FAILURES], NULL, 0);
    return store_run_integer(batch, rows, STATUS_INTERNAL, count);
}
