#include "store/comment.h"

#include "store/addresses.h"
#include "store/piece.h"
#include "store/registry.h"
#include "store/run.h"
#include "store/shown.h"

/* The first four by their subject. */
enum {
    READ = 0,
    PAGE = SUBJECT_COUNT,
    SHOW = 2 * SUBJECT_COUNT,
    INSERT = 3 * SUBJECT_COUNT,
    WITHDRAW = 4 * SUBJECT_COUNT,
    ANSWER,
    REPLY,
    EDIT,
    DELETE,
    SHOW_ONE,
    LIST
};

/* All of a piece, for the reader. */
#define READ_OF(piece, key)                                                                          \
    {                                                                                                \
        "comment_on_" piece,                                                                         \
            "SELECT c.created_at, u.name, " ICON_ADDRESS(                                            \
                "u") ", c.comment, c.replied_at, c.reply"                                            \
                     " FROM comment c JOIN user_account u ON u.user_id = c.commenter_id"             \
                     " JOIN (SELECT " READER " AS id) reader ON true WHERE c." key                   \
                     " = $1 AND may_see_comment(c.commenter_id, c.hidden, reader.id) AND " IS_SHOWN( \
                         piece, key) " ORDER BY c.created_at, c.comment_id",                         \
            "ztttzt", false, DB_SERVICE                                                              \
    }
/* The $6 behind the position ($4, $5), with the position of each. */
#define PAGE_OF(piece, key)                                                                      \
    {                                                                                            \
        "comment_page_" piece,                                                                   \
            "SELECT (extract(epoch FROM c.created_at) * 1000000)::bigint, c.comment_id,"         \
            " c.commenter_id, c.created_at, u.name, " ICON_ADDRESS(                              \
                "u") ", c.comment, c.replied_at,"                                                \
                     " c.reply FROM comment c JOIN user_account u ON u.user_id = c.commenter_id" \
                     " JOIN (SELECT " READER " AS id) reader ON true WHERE c." key " = $1"       \
                     " AND may_list_comment(c.commenter_id, c.hidden, reader.id) AND " IS_SHOWN( \
                         piece,                                                                  \
                         key) " AND (c.created_at, c.comment_id) > (timestamptz 'epoch'"         \
                              " + $4::bigint / 1000000 * interval '1 second'"                    \
                              " + $4::bigint % 1000000 * interval '1 microsecond', $5::bigint)"  \
                              " ORDER BY c.created_at, c.comment_id LIMIT $6::bigint",           \
            "lllztttzt", false, DB_SERVICE                                                       \
    }
#define SHOWN_ON(piece, key)                                                                      \
    {                                                                                             \
        "comment_show_" piece,                                                                    \
            "SELECT c.comment_id, c.created_at, c.commenter_id, u.name, c.comment, c.replied_at," \
            " c.reply, c.hidden FROM comment c"                                                   \
            " JOIN user_account u ON u.user_id = c.commenter_id WHERE c." key " = $1"             \
            " ORDER BY c.created_at, c.comment_id",                                               \
            "lzlttztt", false, DB_ADMIN                                                           \
    }
/* Wherever it stands. */
#define ANYWHERE                                                                          \
    "SELECT c.comment_id, c.album_id, c.poi_id, c.blog_id, c.created_at, c.commenter_id," \
    " u.name, c.comment, c.replied_at, c.reply, c.hidden FROM comment c"                  \
    " JOIN user_account u ON u.user_id = c.commenter_id"
#define ANYWHERE_TYPES "llllzlttztt"
/* The piece is kept until the comment is written. */
#define INSERT_ON(piece, key)                                                                     \
    {                                                                                             \
        "comment_insert_" piece,                                                                  \
            "INSERT INTO comment (" key ", commenter_id, comment) SELECT $1::bigint, $2::bigint," \
            " $3::text FROM keep_" piece "($1, $2) AS owner WHERE owner IS NOT NULL"              \
            " RETURNING comment_id",                                                              \
            "l", true, DB_ALL                                                                     \
    }
const struct db_statement comment_statements[] = {
    [READ + SUBJECT_ALBUM] = READ_OF("album", "album_id"),
    [READ + SUBJECT_POI] = READ_OF("poi", "poi_id"),
    [READ + SUBJECT_BLOG] = READ_OF("blog", "blog_id"),
    [PAGE + SUBJECT_ALBUM] = PAGE_OF("album", "album_id"),
    [PAGE + SUBJECT_POI] = PAGE_OF("poi", "poi_id"),
    [PAGE + SUBJECT_BLOG] = PAGE_OF("blog", "blog_id"),
    [SHOW + SUBJECT_ALBUM] = SHOWN_ON("album", "album_id"),
    [SHOW + SUBJECT_POI] = SHOWN_ON("poi", "poi_id"),
    [SHOW + SUBJECT_BLOG] = SHOWN_ON("blog", "blog_id"),
    [INSERT + SUBJECT_ALBUM] = INSERT_ON("album", "album_id"),
    [INSERT + SUBJECT_POI] = INSERT_ON("poi", "poi_id"),
    [INSERT + SUBJECT_BLOG] = INSERT_ON("blog", "blog_id"),
    [WITHDRAW] = {"comment_withdraw",
                  "SELECT may FROM withdraw_comment($1, $2) AS may WHERE may IS NOT NULL", "b",
                  true, DB_SERVICE},
    [ANSWER] = {"comment_answer",
                "SELECT may FROM answer_comment($1, $2, $3) AS may WHERE may IS NOT NULL", "b",
                true, DB_SERVICE},
    [REPLY] = {"comment_reply",
               "UPDATE comment SET reply = $2, replied_at = greatest(now(), created_at)"
               " WHERE comment_id = $1 RETURNING true",
               "b", true, DB_ADMIN},
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

static struct comment read_comment(struct db_row *row)
{
    struct comment comment = {.time = db_read_epoch(row)};
    comment.commenter_name = db_read_text(row);
    comment.commenter_icon = db_read_text(row);
    comment.text = db_read_text(row);
    comment.reply_time = db_read_epoch(row);
    comment.reply = db_read_text(row);
    return comment;
}

static enum status take_comment(void *context, struct db_row *row)
{
    struct comment_stream *stream = context;
    struct comment comment = read_comment(row);
    comments_begin(stream);
    return stream->sink->take(stream->sink->context, &comment);
}

void comments_stream(struct db_batch *batch, struct piece_name piece,
                     const struct session_claim *reader, struct comment_stream *stream)
{
    const struct db_statement *statement = &comment_statements[READ + (int)piece.subject];
    shown_stream(batch, statement, piece.id, reader, take_comment, stream);
}

/* A row more than the page has says that there is another one. */
static enum status take_of_page(void *context, struct db_row *row)
{
    struct comment_page *page = context;
    page->has_more = page->count == page->limit;
    if (page->has_more)
        return STATUS_OK;
    page->count++;
    page->position.time = db_read_integer(row);
    page->position.comment_id = db_read_integer(row);
    int64_t commenter_id = db_read_integer(row);
    struct comment comment = read_comment(row);
    comment.comment_id = page->position.comment_id;
    comment.commenter_id = commenter_id;
    return page->sink->take(page->sink->context, &comment);
}

/* The first that PostgreSQL has: 4714-11-24 BC. */
static const int64_t first_moment = -210866803200000000;

enum status comments_page(struct db_batch *batch, struct piece_name piece,
                          const struct session_claim *reader, struct comment_page *page)
{
    const struct db_statement *statement = &comment_statements[PAGE + (int)piece.subject];
    int64_t time = page->position.time > first_moment ? page->position.time : first_moment;
    const struct db_rows *shown = piece_shown_add(batch, piece, reader);
    DB_STREAM(batch, statement, take_of_page, page, SHOWN_VALUES(piece.id, reader),
              db_integer(time), db_integer(page->position.comment_id), db_integer(page->limit + 1));
    return store_run(batch, shown, subject_absent(piece.subject));
}

const struct db_rows *comments_show_add(struct db_batch *batch, enum subject subject, int64_t id)
{
    return DB_ADD(batch, &comment_statements[SHOW + (int)subject], db_integer(id));
}

enum status comment_insert(struct db_batch *batch, struct piece_name piece, int64_t user_id,
                           const char *text, int64_t *comment_id)
{
    const struct db_rows *rows = DB_ADD(batch, &comment_statements[INSERT + (int)piece.subject],
                                        db_integer(piece.id), db_integer(user_id), db_text(text));
    return store_run_integer(batch, rows, subject_absent(piece.subject), comment_id);
}

/* Runs the batch. The row of a comment that the user sees says whether the user may do that. */
static enum status run_held(struct db_batch *batch, const struct db_rows *held)
{
    enum status status = store_run(batch, held, STATUS_COMMENT_NOT_FOUND);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(held, 0);
    return db_read_boolean(&row) ? STATUS_OK : STATUS_NOT_OWNER;
}

enum status comment_withdraw(struct db_batch *batch, int64_t user_id, int64_t comment_id)
{
    return run_held(batch, DB_ADD(batch, &comment_statements[WITHDRAW], db_integer(comment_id),
                                  db_integer(user_id)));
}

enum status comment_answer(struct db_batch *batch, int64_t user_id, int64_t comment_id,
                           const char *text)
{
    return run_held(batch, DB_ADD(batch, &comment_statements[ANSWER], db_integer(comment_id),
                                  db_integer(user_id), db_text(text)));
}

enum status comment_reply(struct db_batch *batch, int64_t comment_id, const char *text)
{
    return store_run(
        batch, DB_ADD(batch, &comment_statements[REPLY], db_integer(comment_id), db_text(text)),
        STATUS_COMMENT_NOT_FOUND);
}

enum status comment_delete(struct db_batch *batch, int64_t comment_id)
{
    return store_run(batch, DB_ADD(batch, &comment_statements[DELETE], db_integer(comment_id)),
                     STATUS_COMMENT_NOT_FOUND);
}

enum status comment_edit(struct db_batch *batch, int64_t comment_id, const char *text,
                         const char *reply)
{
    const struct db_rows *rows = DB_ADD(batch, &comment_statements[EDIT], db_integer(comment_id),
                                        db_text(text), db_text(reply));
    return store_run(batch, rows, STATUS_COMMENT_NOT_FOUND);
}

enum status comment_show(struct db_batch *batch, int64_t comment_id, db_row_function *function,
                         void *context)
{
    const struct db_rows *rows =
        DB_ADD(batch, &comment_statements[SHOW_ONE], db_integer(comment_id));
    return store_run_row(batch, rows, STATUS_COMMENT_NOT_FOUND, function, context);
}

enum status comment_list(struct db_batch *batch, int64_t user_id, const struct list_part *part,
                         db_row_function *function, void *context)
{
    DB_STREAM(batch, &comment_statements[LIST], function, context, db_id(user_id),
              db_integer(part->after), db_id(part->most));
    return db_batch_run(batch);
}
