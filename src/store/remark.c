#include "store/remark.h"

#include "store/admin.h"

enum { INSERT = 0, LOCK = SUBJECT_COUNT, REPLY, DELETE };

#define INSERT_ON(piece, key)                                                             \
    {                                                                                     \
        "remark_insert_" piece,                                                           \
            "INSERT INTO comment (" key ", commenter_id, comment) SELECT " key ", $2, $3" \
            " FROM " piece " WHERE " key " = $1 RETURNING comment_id",                    \
            "l", true                                                                     \
    }

const struct db_statement remark_statements[] = {
    [INSERT + SUBJECT_ALBUM] = INSERT_ON("album", "album_id"),
    [INSERT + SUBJECT_POI] = INSERT_ON("poi", "poi_id"),
    [INSERT + SUBJECT_BLOG] = INSERT_ON("blog", "blog_id"),
    [LOCK] = {"remark_lock",
              "SELECT reply IS NOT NULL FROM comment WHERE comment_id = $1 FOR NO KEY UPDATE", "b",
              true},
    /* Imported comments may have been written by other clocks. */
    [REPLY] = {"remark_reply",
               "UPDATE comment SET reply = $2, replied_at = greatest(now(), created_at)"
               " WHERE comment_id = $1 AND reply IS NULL",
               "", true},
    [DELETE] = {"remark_delete", "DELETE FROM comment WHERE comment_id = $1 RETURNING true", "b",
                true},
    DB_STATEMENTS_END,
};

enum status remark_insert(struct db_batch *batch, enum subject subject, int64_t id, int64_t user_id,
                          const char *text, int64_t *comment_id)
{
    const struct db_rows *rows = DB_ADD(batch, &remark_statements[INSERT + (int)subject],
                                        db_integer(id), db_integer(user_id), db_text(text));
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    if (db_rows_count(rows) == 0)
        return subject_absent(subject);
    struct db_row row = db_row(rows, 0);
    *comment_id = db_read_integer(&row);
    return STATUS_OK;
}

enum status remark_reply(struct db_batch *batch, int64_t comment_id, const char *text)
{
    const struct db_rows *rows = DB_ADD(batch, &remark_statements[LOCK], db_integer(comment_id));
    DB_ADD(batch, &remark_statements[REPLY], db_integer(comment_id), db_text(text));
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    if (db_rows_count(rows) == 0)
        return STATUS_NOT_FOUND;
    struct db_row row = db_row(rows, 0);
    return db_read_boolean(&row) ? STATUS_CONFLICT : STATUS_OK;
}

enum status remark_delete(struct db_batch *batch, int64_t comment_id)
{
    const struct db_rows *rows = DB_ADD(batch, &remark_statements[DELETE], db_integer(comment_id));
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    return db_rows_count(rows) == 0 ? STATUS_NOT_FOUND : STATUS_OK;
}
