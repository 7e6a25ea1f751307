#include "store/user.h"

#include "store/addresses.h"
#include "store/published.h"
#include "store/registry.h"
#include "store/run.h"
#include "store/session.h"

enum {
    INSERT,
    SET_PASSWORD,
    RENEW_HASH,
    EXISTS,
    LOCK,
    CREDENTIALS,
    FIND,
    EMAIL,
    SHOW,
    LIST,
    EDIT,
    CHANGE,
    SET_DISABLED,
    VOID_TOKENS,
    VOID_MAILS,
    LOCK_ALL,
    DELETE
};

#define COUNT_OF(table, column) "(SELECT count(*) FROM " table " t WHERE t." column " = u.user_id)"

/* An address takes the place of an icon that was uploaded. */
#define NO_ICON(address)                                                 \
    "icon_name = CASE WHEN " address " IS NULL THEN icon_name END,"      \
    " icon_sha256 = CASE WHEN " address " IS NULL THEN icon_sha256 END," \
    " icon_format = CASE WHEN " address " IS NULL THEN icon_format END"

const struct db_statement user_statements[] = {
    [INSERT] = {"user_insert",
                "INSERT INTO user_account (email, name, icon, password_hash)"
                " VALUES ($1, $2, $3, $4) RETURNING user_id",
                "l", true, DB_ADMIN},
    [SET_PASSWORD] = {"user_set_password",
                      "UPDATE user_account SET password_hash = $2 WHERE user_id = $1"
                      " RETURNING true",
                      "b", true, DB_ADMIN},
    [RENEW_HASH] = {"user_renew_hash",
                    "UPDATE user_account SET password_hash = $3"
                    " WHERE user_id = $1 AND password_hash = $2",
                    "", true, DB_SERVICE},
    [EXISTS] = {"user_exists", "SELECT true FROM user_account WHERE user_id = $1", "b", false,
                DB_SERVICE},
    [LOCK] = {"user_lock", "SELECT true FROM user_account WHERE user_id = $1 FOR NO KEY UPDATE",
              "b", true, DB_ALL},
    [CREDENTIALS] = {"user_credentials",
                     "SELECT user_id, password_hash, language, blocked FROM user_account"
                     " WHERE lower(email) = lower($1::text) AND NOT disabled",
                     "lttb", false, DB_SERVICE},
    [FIND] = {"user_find",
              "SELECT user_id FROM user_account"
              " WHERE user_id = $1::bigint OR ($1 = 0 AND lower(email) = lower($2::text))",
              "l", false, DB_ADMIN},
    [EMAIL] = {"user_email", "SELECT email::text FROM user_account WHERE user_id = $1", "t", false,
               DB_ADMIN},
    /* clang-format off */
    [SHOW] = {"user_show",
              "SELECT u.user_id, u.email, u.name, " ICON_ADDRESS("u") ", u.disabled, u.blocked,"
              " u.created_at, " COUNT_OF("album", "owner_id") ", "
              COUNT_OF("poi", "owner_id") ", "
              COUNT_OF("blog", "author_id") ", "
              COUNT_OF("comment", "commenter_id") ","
              " (SELECT count(*) FROM session t"
              "   WHERE t.user_id = u.user_id AND t.expires_at > now()),"
              " (SELECT coalesce(sum(amount), 0) FROM ledger t WHERE t.user_id = u.user_id)"
              " FROM user_account u WHERE u.user_id = $1",
              "ltttbbzllllll", false, DB_ADMIN},
    /* clang-format on */
    [LIST] = {"user_list",
              "SELECT user_id, email, name, disabled, blocked, created_at FROM user_account"
              " WHERE ($1::text IS NULL OR strpos(lower(name), lower($1)) > 0"
              " OR strpos(lower(email), lower($1)) > 0)"
              " AND user_id > $2::bigint ORDER BY user_id LIMIT $3::bigint",
              "lttbbz", false, DB_ADMIN},
    [EDIT] = {"user_edit",
              "UPDATE user_account SET email = coalesce($2, email), name = coalesce($3, name),"
              " icon = coalesce($4, icon), " NO_ICON(
                  "$4::text") " WHERE user_id = $1 RETURNING true",
              "b", true, DB_ADMIN},
    [CHANGE] = {"user_change",
                "UPDATE user_account SET name = coalesce($2, name),"
                " icon = CASE WHEN $3::integer = 1 THEN '' ELSE icon END,"
                " icon_name = CASE WHEN $3 = 1 THEN $4 ELSE icon_name END,"
                " icon_sha256 = CASE WHEN $3 = 1 THEN $5 ELSE icon_sha256 END,"
                " icon_format = CASE WHEN $3 = 1 THEN $6 ELSE icon_format END WHERE user_id = $1",
                "", true, DB_ALL},
    [SET_DISABLED] = {"user_set_disabled",
                      "UPDATE user_account SET disabled = $2::integer = 1 WHERE user_id = $1"
                      " RETURNING true",
                      "b", true, DB_ADMIN},
    [VOID_TOKENS] = {"user_void_tokens", "DELETE FROM account_token WHERE user_id = $1", "", true,
                     DB_ADMIN},
    [VOID_MAILS] = {"user_void_mails", "DELETE FROM mail WHERE user_id = $1 AND state = 'waiting'",
                    "", true, DB_ADMIN},
    [LOCK_ALL] = {"user_lock_all", "SELECT lock_user($1) IS NULL", "b", true, DB_ALL},
    [DELETE] = {"user_delete", "DELETE FROM user_account WHERE user_id = $1 RETURNING true", "b",
                true, DB_ADMIN},
    DB_STATEMENTS_END,
};

/* Runs the batch, of which these rows are the user's. */
static enum status run(struct db_batch *batch, const struct db_rows *rows)
{
    return store_run(batch, rows, STATUS_USER_NOT_FOUND);
}

enum status user_insert(struct db_batch *batch, const struct user_fields *fields, int64_t *user_id)
{
    const struct db_rows *rows =
        DB_ADD(batch, &user_statements[INSERT], db_text(fields->email), db_text(fields->name),
               db_text(fields->icon), db_text(fields->password_hash));
    return store_run_integer(batch, rows, STATUS_INTERNAL, user_id);
}

/* What was mailed proves nothing any more. */
static void void_tokens_add(struct db_batch *batch, int64_t user_id)
{
    DB_ADD(batch, &user_statements[VOID_TOKENS], db_integer(user_id));
}

/* The account first: from then on no session begins with the old password, and all that have are
 * seen by the statement after it. */
enum status user_set_password(struct db_batch *batch, int64_t user_id, const char *password_hash)
{
    const struct db_rows *rows =
        DB_ADD(batch, &user_statements[SET_PASSWORD], db_integer(user_id), db_text(password_hash));
    session_revoke_all_add(batch, user_id);
    void_tokens_add(batch, user_id);
    return run(batch, rows);
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
    credentials.password_hash = db_read_copy(&row, arena);
    credentials.language = db_read_copy(&row, arena);
    credentials.is_blocked = db_read_boolean(&row);
    return credentials;
}

enum status user_find(struct db_batch *batch, int64_t user_id, const char *email, int64_t *found)
{
    const struct db_rows *rows =
        DB_ADD(batch, &user_statements[FIND], db_integer(user_id), db_text(email));
    return store_run_integer(batch, rows, STATUS_USER_NOT_FOUND, found);
}

enum status user_email(struct db_batch *batch, int64_t user_id, const char **email)
{
    const struct db_rows *rows = DB_ADD(batch, &user_statements[EMAIL], db_integer(user_id));
    enum status status = run(batch, rows);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    *email = db_read_text(&row);
    return STATUS_OK;
}

enum status user_show(struct db_batch *batch, int64_t user_id, db_row_function *function,
                      void *context)
{
    const struct db_rows *rows = DB_ADD(batch, &user_statements[SHOW], db_integer(user_id));
    return store_run_row(batch, rows, STATUS_USER_NOT_FOUND, function, context);
}

enum status user_list(struct db_batch *batch, const char *text, const struct list_part *part,
                      db_row_function *function, void *context)
{
    DB_STREAM(batch, &user_statements[LIST], function, context, db_text(text),
              db_integer(part->after), db_id(part->most));
    return db_batch_run(batch);
}

enum status user_edit(struct db_batch *batch, int64_t user_id, const struct user_fields *fields,
                      const struct db_rows **published)
{
    user_lock_add(batch, user_id);
    *published = published_icon_add(batch, user_id);
    const struct db_rows *rows =
        DB_ADD(batch, &user_statements[EDIT], db_integer(user_id), db_text(fields->email),
               db_text(fields->name), db_text(fields->icon));
    if (fields->email != NULL)
        void_tokens_add(batch, user_id);
    return run(batch, rows);
}

enum status user_change(struct db_batch *batch, int64_t user_id, const struct user_change *change,
                        const struct db_rows **published)
{
    const struct user_icon *icon = change->icon;
    user_lock_add(batch, user_id);
    *published = published_icon_add(batch, user_id);
    DB_ADD(batch, &user_statements[CHANGE], db_integer(user_id), db_text(change->name),
           db_integer(change->changes_icon),
           icon != NULL ? db_bytes(icon->name, sizeof icon->name) : db_text(NULL),
           icon != NULL ? db_bytes(icon->digest, sizeof icon->digest) : db_text(NULL),
           icon != NULL ? db_integer(icon->format) : db_text(NULL));
    return db_batch_run(batch);
}

/* The account first: from then on no session begins. */
enum status user_set_disabled(struct db_batch *batch, int64_t user_id, bool disabled)
{
    const struct db_rows *rows =
        DB_ADD(batch, &user_statements[SET_DISABLED], db_integer(user_id), db_integer(disabled));
    if (disabled) {
        session_revoke_all_add(batch, user_id);
        void_tokens_add(batch, user_id);
        DB_ADD(batch, &user_statements[VOID_MAILS], db_integer(user_id));
    }
    return run(batch, rows);
}

void user_lock_all_add(struct db_batch *batch, int64_t user_id)
{
    DB_ADD(batch, &user_statements[LOCK_ALL], db_integer(user_id));
}

enum status user_delete(struct db_batch *batch, int64_t user_id, const struct db_rows **published)
{
    user_lock_all_add(batch, user_id);
    *published = published_of_user_add(batch, user_id);
    return run(batch, DB_ADD(batch, &user_statements[DELETE], db_integer(user_id)));
}
