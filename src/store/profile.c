#include "store/profile.h"

#include "store/addresses.h"
#include "store/original_bytes.h"
#include "store/registry.h"
#include "store/run.h"
#include "store/shown.h"

enum { READ, READ_OWN };

#define COUNT_OF(kind, owner) \
    "(SELECT count(*) FROM " SHOWN(kind, "t") " WHERE t." owner " = u.user_id)"
#define SCORE_OF(kind, owner) \
    "(SELECT coalesce(sum(score), 0) FROM " SHOWN(kind, "t") " WHERE t." owner " = u.user_id)"

/* clang-format off */
const struct db_statement profile_statements[] = {
    [READ] = {"profile_read",
              "SELECT u.user_id, u.name, " ICON_ADDRESS("u") ", u.created_at::date, "
              COUNT_OF("blog", "author_id") ", " COUNT_OF("album", "owner_id") ", ("
              SCORE_OF("blog", "author_id") " + " SCORE_OF("album", "owner_id") " + "
              SCORE_OF("poi", "owner_id") ")::bigint"
              " FROM user_account u WHERE u.user_id = $1",
              "lttdlll", false, DB_SERVICE},
    [READ_OWN] = {"profile_read_own",
                  "SELECT u.user_id, u.email, u.name, " ICON_ADDRESS("u") ","
                  " (SELECT coalesce(sum(amount), 0) FROM ledger l WHERE l.user_id = u.user_id),"
                  " (" ORIGINAL_BYTES("$1") ")::bigint"
                  " FROM user_account u WHERE u.user_id = $1",
                  "ltttll", false, DB_SERVICE},
    DB_STATEMENTS_END,
};
/* clang-format on */

enum status profile_read(struct db_batch *batch, int64_t user_id,
                         const struct session_claim *reader, struct account *account)
{
    const struct db_rows *rows = shown_add(batch, &profile_statements[READ], user_id, reader);
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
    const struct db_rows *rows = DB_ADD(batch, &profile_statements[READ_OWN], db_integer(user_id));
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
