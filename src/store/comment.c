#include "store/comment.h"

#include "store/addresses.h"
#include "store/registry.h"
#include "store/run.h"
#include "store/shown.h"

/* The first three by their subject. */
enum {
    READ = 0,
    SHOW = SUBJECT_COUNT,
    INSERT = 2 * SUBJECT_COUNT,
    LOCK = 3 * SUBJECT_COUNT,
    REPLY,
    EDIT,
    DELETE,
    SHOW_ONE,
    LIST
};

#define COMMENTS_OF(condition)                                                   \
    "SELECT c.created_at, u.name, " ICON_ADDRESS(                                \
        "u") ", c.comment, c.replied_at, c.reply"                                \
             " FROM comment c JOIN user_account u ON u.user_id = c.commenter_id" \
             " WHERE " condition " ORDER BY c.created_at, c.comment_id"
#define SHOWN_ON(piece, key)                                                                      \
    {                                                                                             \
        "comment_show_" piece,                                                                    \
            "SELECT c.comment_id, c.created_at, c.commenter_id, u.name, c.comment, c.replied_at," \
            " c.reply FROM comment c"                                                             \
            " JOIN user_account u ON u.user_id = c.commenter_id WHERE c." key " = $1"             \
            " ORDER BY c.created_at, c.comment_id",                                               \
            "lzlttzt", false, DB_ADMIN                                                            \
    }
/* Wherever it stands. */
#define ANYWHERE                                                                          \
    "SELECT c.comment_id, c.album_id, c.poi_id, c.blog_id, c.created_at, c.commenter_id," \
    " u.name, c.comment, c.replied_at, c.reply FROM comment c"                            \
    " JOIN user_account u ON u.user_id = c.commenter_id"
#define ANYWHERE_TYPES "llllzlttzt"
#define INSERT_ON(piece, key)                                                             \
    {                                                                                     \
        "comment_insert_" piece,                                                          \
            "INSERT INTO comment (" key ", commenter_id, comment) SELECT " key ", $2, $3" \
            " FROM " piece " WHERE " key " = $1 RETURNING comment_id",                    \
            "l", true, DB_ADMIN                                                           \
    }

const struct db_statement comment_statements[] = {
    [READ + SUBJECT_ALBUM] = {"comment_on_album", COMMENTS_OF("c.album_id" SHOWN_OF_ALBUM),
                              "ztttzt", false, DB_SERVICE},
    [READ + SUBJECT_POI] = {"comment_on_poi", COMMENTS_OF("c.poi_id = $1"), "ztttzt", false,
                            DB_SERVICE},
    [READ + SUBJECT_BLOG] = {"comment_on_blog", COMMENTS_OF("c.blog_id" SHOWN_OF_BLOG), "ztttzt",
                             false, DB_SERVICE},
    [SHOW + SUBJECT_ALBUM] = SHOWN_ON("album", "album_id"),
    [SHOW + SUBJECT_POI] = SHOWN_ON("poi", "poi_id"),
    [SHOW + SUBJECT_BLOG] = SHOWN_ON("blog", "blog_id"),
    [INSERT + SUBJECT_ALBUM] = INSERT_ON("album", "album_id"),
    [INSERT + SUBJECT_POI] = INSERT_ON("poi", "poi_id"),
    [INSERT + SUBJECT_BLOG] = INSERT_ON("blog", "blog_id"),
    [LOCK] = {"comment_lock",
              "SELECT reply IS NOT NULL FROM comment WHERE comment_id = $1 FOR NO KEY UPDATE", "b",
              true, DB_ADMIN},
    /* Imported comments may have been written by other clocks. */
    [REPLY] = {"comment_reply",
               "UPDATE comment SET reply = $2, replied_at = greatest(now(), created_at)"
               " WHERE comment_id = $1 AND reply IS NULL",
               "", true, DB_ADMIN},
    [EDIT] = {"comment_edit",
              "UPDATE comment SET comment = coalesce($2, comment),"
              " reply = nullif(coalesce($3::text, reply), ''),"
              " replied_at = CASE WHEN coalesce($3, reply) <> ''"
              " THEN coalesce(replied_at, greatest(now(), created_at)) END"
              " WHERE comment_id = $1 RETURNING true",
              "b", true, DB_ADMIN},
    [DELETE] = {"comment_delete", "DELETE FROM comment WHERE comment_id = $1 RETURNING true", "b",
                true, DB_ADMIN},
    [SHOW_ONE] = {"comment_show", ANYWHERE " WHERE c.comment_id = $1", ANYWHERE_TYPES, false,
                  DB_ADMIN},
    [LIST] = {"comment_list",
              ANYWHERE " WHERE ($1::bigint IS NULL OR c.commenter_id = $1)"
                       " AND c.comment_id > $2::bigint ORDER BY c.comment_id LIMIT $3::bigint",
              ANYWHERE_TYPES, false, DB_ADMIN},
    DB_STATEMENTS_END,
};

void comments_begin(struct comment_stream *stream)
{
    if (!stream->begun)
        stream->read_piece(stream->reading);
    stream->begun = true;
}

static enum status take_comment(void *context, struct db_row *row)
{
    struct comment_stream *stream = context;
    struct comment comment = {.time = db_read_epoch(row)};
    comment.commenter_name = db_read_text(row);
    comment.commenter_icon = db_read_text(row);
    comment.text = db_read_text(row);
    comment.reply_time = db_read_epoch(row);
    comment.reply = db_read_text(row);
    comments_begin(stream);
    return stream->sink->take(stream->sink->context, &comment);
}

void comments_stream(struct db_batch *batch, enum subject subject, int64_t id,
                     const struct session_claim *reader, struct comment_stream *stream)
{
    const struct db_statement *statement = &comment_statements[READ + (int)subject];
    if (subject == SUBJECT_POI)
        DB_STREAM(batch, statement, take_comment, stream, db_integer(id));
    else
        shown_stream(batch, statement, id, reader, take_comment, stream);
}

const struct db_rows *comments_show_add(struct db_batch *batch, enum subject subject, int64_t id)
{
    return DB_ADD(batch, &comment_statements[SHOW + (int)subject], db_integer(id));
}

enum status comment_insert(struct db_batch *batch, enum subject subject, int64_t id,
                           int64_t user_id, const char *text, int64_t *comment_id)
{
    const struct db_rows *rows = DB_ADD(batch, &comment_statements[INSERT + (int)subject],
                                        db_integer(id), db_integer(user_id), db_text(text));
    return store_run_integer(batch, rows, subject_absent(subject), comment_id);
}

enum status comment_reply(struct db_batch *batch, int64_t comment_id, const char *text)
{
    const struct db_rows *rows = DB_ADD(batch, &comment_statements[LOCK], db_integer(comment_id));
    DB_ADD(batch, &comment_statements[REPLY], db_integer(comment_id), db_text(text));
    enum status status = store_run(batch, rows, STATUS_NOT_FOUND);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    return db_read_boolean(&row) ? STATUS_CONFLICT : STATUS_OK;
}

enum status comment_delete(struct db_batch *batch, int64_t comment_id)
{
    return store_run(batch, DB_ADD(batch, &comment_statements[DELETE], db_integer(comment_id)),
                     STATUS_NOT_FOUND);
}

enum status comment_edit(struct db_batch *batch, int64_t comment_id, const char *text,
                         const char *reply)
{
    const struct db_rows *rows = DB_ADD(batch, &comment_statements[EDIT], db_integer(comment_id),
                                        db_text(text), db_text(reply));
    return store_run(batch, rows, STATUS_NOT_FOUND);
}

enum status comment_show(struct db_batch *batch, int64_t comment_id, db_row_function *function,
                         void *context)
{
    const struct db_rows *rows =
        DB_ADD(batch, &comment_statements[SHOW_ONE], db_integer(comment_id));
    return store_run_row(batch, rows, STATUS_NOT_FOUND, function, context);
}

enum status comment_list(struct db_batch *batch, int64_t user_id, const struct list_part *part,
                         db_row_function *function, void *context)
{
    DB_STREAM(batch, &comment_statements[LIST], function, context, db_id(user_id),
              db_integer(part->after), db_id(part->most));
    return db_batch_run(batch);
}
