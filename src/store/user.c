#include "store/user.h"

#include "store/photo_file.h"
#include "store/run.h"
#include "store/session.h"
#include "store/shown.h"
#include "store/statements.h"

/* Runs the batch, of which these rows are the user's. */
static enum status run(struct db_batch *batch, const struct db_rows *rows)
{
    return store_run(batch, rows, STATUS_USER_NOT_FOUND);
}

enum status user_insert(struct db_batch *batch, const struct user_fields *fields, int64_t *user_id)
{
    const struct db_rows *rows =
        DB_ADD(batch, SQL_USER_INSERT, db_text(fields->email), db_text(fields->name),
               db_text(fields->icon), db_text(fields->password_hash));
    return store_run_integer(batch, rows, STATUS_INTERNAL, user_id);
}

/* What was mailed proves nothing any more. */
static void void_tokens_add(struct db_batch *batch, int64_t user_id)
{
    DB_ADD(batch, SQL_USER_VOID_TOKENS, db_integer(user_id));
}

/* The account first: from then on no session begins with the old password, and all that have are
 * seen by the statement after it. */
enum status user_set_password(struct db_batch *batch, int64_t user_id, const char *password_hash)
{
    const struct db_rows *rows =
        DB_ADD(batch, SQL_USER_SET_PASSWORD, db_integer(user_id), db_text(password_hash));
    session_revoke_all_add(batch, user_id);
    void_tokens_add(batch, user_id);
    return run(batch, rows);
}

void user_renew_hash_add(struct db_batch *batch, int64_t user_id, const char *password_hash,
                         const char *renewed)
{
    DB_ADD(batch, SQL_USER_RENEW_HASH, db_integer(user_id), db_text(password_hash),
           db_text(renewed));
}

const struct db_rows *user_exists_add(struct db_batch *batch, int64_t user_id)
{
    return DB_ADD(batch, SQL_USER_EXISTS, db_integer(user_id));
}

void user_lock_add(struct db_batch *batch, int64_t user_id)
{
    DB_ADD(batch, SQL_USER_LOCK, db_integer(user_id));
}

const struct db_rows *credentials_add(struct db_batch *batch, const char *email)
{
    return DB_ADD(batch, SQL_USER_CREDENTIALS, db_text(email));
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
    const struct db_rows *rows = DB_ADD(batch, SQL_USER_FIND, db_integer(user_id), db_text(email));
    return store_run_integer(batch, rows, STATUS_USER_NOT_FOUND, found);
}

enum status user_email(struct db_batch *batch, int64_t user_id, const char **email)
{
    const struct db_rows *rows = DB_ADD(batch, SQL_USER_EMAIL, db_integer(user_id));
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
    const struct db_rows *rows = DB_ADD(batch, SQL_USER_SHOW, db_integer(user_id));
    return store_run_row(batch, rows, STATUS_USER_NOT_FOUND, function, context);
}

enum status user_list(struct db_batch *batch, const char *text, const struct list_part *part,
                      db_row_function *function, void *context)
{
    DB_STREAM(batch, SQL_USER_LIST, function, context, db_text(text), db_integer(part->after),
              db_id(part->most));
    return db_batch_run(batch);
}

enum status user_edit(struct db_batch *batch, int64_t user_id, const struct user_fields *fields,
                      const struct db_rows **published)
{
    user_lock_add(batch, user_id);
    *published = published_icon_add(batch, user_id);
    const struct db_rows *rows =
        DB_ADD(batch, SQL_USER_EDIT, db_integer(user_id), db_text(fields->email),
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
    if (icon != NULL)
        photo_file_lock_add(batch, icon->digest, NULL, NULL);
    DB_ADD(batch, SQL_USER_CHANGE, db_integer(user_id), db_text(change->name),
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
        DB_ADD(batch, SQL_USER_SET_DISABLED, db_integer(user_id), db_integer(disabled));
    if (disabled) {
        session_revoke_all_add(batch, user_id);
        void_tokens_add(batch, user_id);
        DB_ADD(batch, SQL_USER_VOID_MAILS, db_integer(user_id));
    }
    return run(batch, rows);
}

void user_lock_all_add(struct db_batch *batch, int64_t user_id)
{
    DB_ADD(batch, SQL_USER_LOCK_ALL, db_integer(user_id));
}

enum status user_delete(struct db_batch *batch, int64_t user_id, const struct db_rows **published)
{
    user_lock_all_add(batch, user_id);
    *published = published_of_user_add(batch, user_id);
    return run(batch, DB_ADD(batch, SQL_USER_DELETE, db_integer(user_id)));
}

enum status profile_read(struct db_batch *batch, int64_t user_id,
                         const struct session_claim *reader, struct account *account)
{
    const struct db_rows *rows = shown_add(batch, SQL_PROFILE_READ, user_id, reader);
    enum status status = store_run(batch, rows, STATUS_USER_NOT_FOUND);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    account->user_id = db_read_integer(&row);
    account->name = db_read_text(&row);
    account->icon = db_read_text(&row);
    account->joined = db_read_date(&row);
    account->blog_count = db_read_integer(&row);
    account->album_count = db_read_integer(&row);
    account->score = db_read_integer(&row);
    return STATUS_OK;
}

enum status profile_read_own(struct db_batch *batch, int64_t user_id, struct own_account *account)
{
    const struct db_rows *rows = DB_ADD(batch, SQL_PROFILE_READ_OWN, db_integer(user_id));
    enum status status = store_run(batch, rows, STATUS_USER_NOT_FOUND);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    account->user_id = db_read_integer(&row);
    account->email = db_read_text(&row);
    account->name = db_read_text(&row);
    account->icon = db_read_text(&row);
    account->reward = db_read_integer(&row);
    account->photo_bytes = db_read_integer(&row);
    return STATUS_OK;
}
