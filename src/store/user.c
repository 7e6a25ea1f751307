#include "store/user.h"

#include <string.h>

#include "store/session.h"
#include "store/statements.h"

enum { INSERT, SET_PASSWORD, RENEW_HASH, EXISTS, LOCK, CREDENTIALS };

const struct db_statement user_statements[] = {
    [INSERT] = {"user_insert",
                "INSERT INTO user_account (email, name, icon, password_hash)"
                " VALUES ($1, $2, $3, $4) RETURNING user_id",
                "l", true},
    [SET_PASSWORD] = {"user_set_password",
                      "UPDATE user_account SET password_hash = $2 WHERE user_id = $1"
                      " RETURNING true",
                      "b", true},
    [RENEW_HASH] = {"user_renew_hash",
                    "UPDATE user_account SET password_hash = $3"
                    " WHERE user_id = $1 AND password_hash = $2",
                    "", true},
    [EXISTS] = {"user_exists", "SELECT true FROM user_account WHERE user_id = $1", "b", false},
    [LOCK] = {"user_lock", "SELECT true FROM user_account WHERE user_id = $1 FOR NO KEY UPDATE",
              "b", true},
    [CREDENTIALS] = {"user_credentials",
                     "SELECT user_id, password_hash FROM user_account"
                     " WHERE lower(email) = lower($1::text) AND NOT disabled",
                     "lt", false},
    DB_STATEMENTS_END,
};

enum status user_insert(struct db_batch *batch, const struct user_fields *fields, int64_t *user_id)
{
    const struct db_rows *rows =
        DB_ADD(batch, &user_statements[INSERT], db_text(fields->email), db_text(fields->name),
               db_text(fields->icon), db_text(fields->password_hash));
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    *user_id = db_read_integer(&row);
    return STATUS_OK;
}

/* The account first: from then on no session begins with the old password, and all that have are
 * seen by the statement after it. */
enum status user_set_password(struct db_batch *batch, int64_t user_id, const char *password_hash)
{
    const struct db_rows *rows =
        DB_ADD(batch, &user_statements[SET_PASSWORD], db_integer(user_id), db_text(password_hash));
    session_revoke_all_add(batch, user_id);
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    return db_rows_count(rows) == 0 ? STATUS_USER_NOT_FOUND : STATUS_OK;
}

void user_renew_hash_add(struct db_batch *batch, int64_t user_id, const char *password_hash,
                         const char *renewed)
{
    DB_ADD(batch, &user_statements[RENEW_HASH], db_integer(user_id), db_text(password_hash),
           db_text(renewed));
}

const struct db_rows *user_exists_add(struct db_batch *batch, int64_t user_id)
{
    return DB_ADD(batch, &user_statements[EXISTS], db_integer(user_id));
}

void user_lock_add(struct db_batch *batch, int64_t user_id)
{
    DB_ADD(batch, &user_statements[LOCK], db_integer(user_id));
}

const struct db_rows *credentials_add(struct db_batch *batch, const char *email)
{
    return DB_ADD(batch, &user_statements[CREDENTIALS], db_text(email));
}

struct credentials credentials_read(const struct db_rows *rows, struct arena *arena)
{
    if (db_rows_count(rows) == 0)
        return (struct credentials){0};
    struct db_row row = db_row(rows, 0);
    struct credentials credentials = {.user_id = db_read_integer(&row)};
    const char *hash = db_read_text(&row);
    credentials.password_hash = arena_copy(arena, hash, strlen(hash));
    return credentials;
}
