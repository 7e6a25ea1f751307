#include "store/account.h"

#include "store/admin.h"
#include "store/session.h"

enum { FIND, EMAIL, SHOW, LIST, RENAME, SET_ICON, SET_DISABLED, DELETE };

#define COUNT_OF(table, column) "(SELECT count(*) FROM " table " t WHERE t." column " = u.user_id)"

const struct db_statement account_statements[] = {
    [FIND] = {"account_find",
              "SELECT user_id FROM user_account"
              " WHERE user_id = $1::bigint OR ($1 = 0 AND lower(email) = lower($2::text))",
              "l", false},
    [EMAIL] = {"account_email", "SELECT email::text FROM user_account WHERE user_id = $1", "t",
               false},
    /* clang-format off */
    [SHOW] = {"account_show",
              "SELECT u.user_id AS \"userID\", u.email::text, u.name::text, u.icon::text,"
              " u.disabled, u.created_at AS created, "
              COUNT_OF("album", "owner_id") " AS albums, "
              COUNT_OF("poi", "owner_id") " AS \"POIs\", "
              COUNT_OF("blog", "author_id") " AS blogs, "
              COUNT_OF("comment", "commenter_id") " AS comments,"
              " (SELECT count(*) FROM session t"
              "   WHERE t.user_id = u.user_id AND t.expires_at > now()) AS sessions,"
              " (SELECT coalesce(sum(amount), 0) FROM ledger t WHERE t.user_id = u.user_id)"
              " AS reward FROM user_account u WHERE u.user_id = $1",
              "ltttbzllllll", false},
    /* clang-format on */
    [LIST] = {"account_list",
              "SELECT user_id AS \"userID\", email::text, name::text, disabled,"
              " created_at AS created FROM user_account"
              " WHERE $1::text IS NULL OR strpos(lower(name), lower($1)) > 0"
              " OR strpos(lower(email), lower($1)) > 0 ORDER BY user_id LIMIT $2::bigint",
              "lttbz", false},
    [RENAME] = {"account_rename",
                "UPDATE user_account SET name = $2 WHERE user_id = $1 RETURNING true", "b", true},
    [SET_ICON] = {"account_set_icon",
                  "UPDATE user_account SET icon = $2 WHERE user_id = $1 RETURNING true", "b", true},
    [SET_DISABLED] = {"account_set_disabled",
                      "UPDATE user_account SET disabled = $2::integer = 1 WHERE user_id = $1"
                      " RETURNING true",
                      "b", true},
    [DELETE] = {"account_delete", "DELETE FROM user_account WHERE user_id = $1 RETURNING true", "b",
                true},
    DB_STATEMENTS_END,
};

/* Runs the batch, of which these rows are the account's. */
static enum status run(struct db_batch *batch, const struct db_rows *rows)
{
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    return db_rows_count(rows) == 0 ? STATUS_USER_NOT_FOUND : STATUS_OK;
}

enum status account_find(struct db_batch *batch, int64_t user_id, const char *email, int64_t *found)
{
    const struct db_rows *rows =
        DB_ADD(batch, &account_statements[FIND], db_integer(user_id), db_text(email));
    enum status status = run(batch, rows);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    *found = db_read_integer(&row);
    return STATUS_OK;
}

enum status account_email(struct db_batch *batch, int64_t user_id, const char **email)
{
    const struct db_rows *rows = DB_ADD(batch, &account_statements[EMAIL], db_integer(user_id));
    enum status status = run(batch, rows);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    *email = db_read_text(&row);
    return STATUS_OK;
}

enum status account_show(struct db_batch *batch, int64_t user_id, db_row_function *function,
                         void *context)
{
    const struct db_rows *rows = DB_ADD(batch, &account_statements[SHOW], db_integer(user_id));
    enum status status = run(batch, rows);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    return function(context, &row);
}

enum status account_list(struct db_batch *batch, const char *text, int64_t most,
                         db_row_function *function, void *context)
{
    DB_STREAM(batch, &account_statements[LIST], function, context, db_text(text), db_id(most));
    return db_batch_run(batch);
}

enum status account_rename(struct db_batch *batch, int64_t user_id, const char *name)
{
    return run(batch,
               DB_ADD(batch, &account_statements[RENAME], db_integer(user_id), db_text(name)));
}

enum status account_set_icon(struct db_batch *batch, int64_t user_id, const char *icon)
{
    return run(batch,
               DB_ADD(batch, &account_statements[SET_ICON], db_integer(user_id), db_text(icon)));
}

/* The account first: from then on no session begins. */
enum status account_set_disabled(struct db_batch *batch, int64_t user_id, bool disabled)
{
    const struct db_rows *rows =
        DB_ADD(batch, &account_statements[SET_DISABLED], db_integer(user_id), db_integer(disabled));
    if (disabled)
        session_revoke_all_add(batch, user_id);
    return run(batch, rows);
}

enum status account_delete(struct db_batch *batch, int64_t user_id)
{
    return run(batch, DB_ADD(batch, &account_statements[DELETE], db_integer(user_id)));
}
