#include "store/comment.h"

#include "store/piece.h"
#include "store/run.h"
#include "store/shown.h"
#include "store/statements.h"

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
    const struct db_statement *statement =
        reader != NULL ? SQL_COMMENT_BY_USER_ON_ALBUM : SQL_COMMENT_ON_ALBUM;
    shown_stream(batch, statement + (int)piece.subject, piece.id, reader, take_comment, stream);
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
    const struct db_statement *statement = SQL_COMMENT_PAGE_ALBUM + (int)piece.subject;
    int64_t time = page->position.time > first_moment ? page->position.time : first_moment;
    const struct db_rows *shown = piece_shown_add(batch, piece, reader);
    DB_STREAM(batch, statement, take_of_page, page, SHOWN_VALUES(piece.id, reader),
              db_integer(time), db_integer(page->position.comment_id), db_integer(page->limit + 1));
    return store_run(batch, shown, subject_absent(piece.subject));
}

const struct db_rows *comments_show_add(struct db_batch *batch, enum subject subject, int64_t id)
{
    return DB_ADD(batch, SQL_COMMENT_SHOW_ALBUM + (int)subject, db_integer(id));
}

enum status comment_insert(struct db_batch *batch, struct piece_name piece, int64_t user_id,
                           const char *text, int64_t *comment_id)
{
    const struct db_rows *rows = DB_ADD(batch, SQL_COMMENT_INSERT_ALBUM + (int)piece.subject,
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
    return run_held(
        batch, DB_ADD(batch, SQL_COMMENT_WITHDRAW, db_integer(comment_id), db_integer(user_id)));
}

enum status comment_answer(struct db_batch *batch, int64_t user_id, int64_t comment_id,
                           const char *text)
{
    return run_held(batch, DB_ADD(batch, SQL_COMMENT_ANSWER, db_integer(comment_id),
                                  db_integer(user_id), db_text(text)));
}

enum status comment_reply(struct db_batch *batch, int64_t comment_id, const char *text)
{
    return store_run(batch, DB_ADD(batch, SQL_COMMENT_REPLY, db_integer(comment_id), db_text(text)),
                     STATUS_COMMENT_NOT_FOUND);
}

enum status comment_delete(struct db_batch *batch, int64_t comment_id)
{
    return store_run(batch, DB_ADD(batch, SQL_COMMENT_DELETE, db_integer(comment_id)),
                     STATUS_COMMENT_NOT_FOUND);
}

enum status comment_edit(struct db_batch *batch, int64_t comment_id, const char *text,
                         const char *reply)
{
    const struct db_rows *rows =
        DB_ADD(batch, SQL_COMMENT_EDIT, db_integer(comment_id), db_text(text), db_text(reply));
    return store_run(batch, rows, STATUS_COMMENT_NOT_FOUND);
}

enum status comment_show(struct db_batch *batch, int64_t comment_id, db_row_function *function,
                         void *context)
{
    const struct db_rows *rows = DB_ADD(batch, SQL_COMMENT_SHOW, db_integer(comment_id));
    return store_run_row(batch, rows, STATUS_COMMENT_NOT_FOUND, function, context);
}

enum status comment_list(struct db_batch *batch, int64_t user_id, const struct list_part *part,
                         db_row_function *function, void *context)
{
    DB_STREAM(batch, SQL_COMMENT_LIST, function, context, db_id(user_id), db_integer(part->after),
              db_id(part->most));
    return db_batch_run(batch);
}
