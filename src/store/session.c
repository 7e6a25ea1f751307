#include "store/session.h"

#include "store/statements.h"

enum { FIND, REQUIRE, END, REVOKE_ALL, PURGE, INSERT };

const struct db_statement session_statements[] = {
    [FIND] = {"session_find",
              "SELECT true FROM session"
              " WHERE user_id = $1 AND token_hash = $2 AND expires_at > now()",
              "b", false},
    [REQUIRE] = {"session_require", "SELECT require_session($1, $2) IS NULL", "b", true},
    [END] = {"session_end", "SELECT end_session($1, $2) IS NULL", "b", true},
    [REVOKE_ALL] = {"session_revoke_all", "DELETE FROM session WHERE user_id = $1 RETURNING true",
                    "b", true},
    [PURGE] = {"session_purge", "DELETE FROM session WHERE user_id = $1 AND expires_at <= now()",
               "", true},
    [INSERT] = {"session_insert",
                "INSERT INTO session (user_id, token_hash, expires_at)"
                " SELECT user_id, $2, now() + $3::bigint * interval '1 millisecond'"
                " FROM user_account WHERE user_id = $1 AND NOT disabled"
                " AND ($4::text IS NULL OR password_hash = $4) FOR NO KEY UPDATE RETURNING true",
                "b", true},
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
    DB_ADD(batch, &session_statements[PURGE], db_integer(claim->user_id));
    const struct db_rows *inserted =
        DB_ADD(batch, &session_statements[INSERT], db_integer(claim->user_id),
               db_bytes(claim->token_hash, sizeof claim->token_hash), db_integer(lifetime),
               db_text(password_hash));
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    return db_rows_count(inserted) == 0 ? STATUS_USER_NOT_FOUND : STATUS_OK;
}
