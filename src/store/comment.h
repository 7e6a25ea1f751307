/*
 * Comments under pieces.
 */
#ifndef MAPDIARY_STORE_COMMENT_H
#define MAPDIARY_STORE_COMMENT_H

#include "db/batch.h"
#include "model/comment.h"
#include "model/list_part.h"
#include "model/subject.h"
#include "store/entry.h"
#include "store/session.h"

/* The comments of a piece that is read, which are given away one by one behind it. */
struct comment_stream {
    void (*read_piece)(void *reading); /* takes the rows of the piece, which have come */
    void *reading;
    struct entry_sink *sink; /* of struct comment */
    bool begun;
};

/** Adds, as the last statement, the query for the comments on a piece, for this reader, NULL for
 * nobody. The piece is read before the first of them; without any, comments_begin() is for when the
 * batch has run. */
void comments_stream(struct db_batch *batch, struct piece_name piece,
                     const struct session_claim *reader, struct comment_stream *stream);
void comments_begin(struct comment_stream *stream);

/* Where a comment stands among those of its piece: by its time (microseconds since the epoch), then
 * its identifier. */
struct comment_position {
    int64_t time;
    int64_t comment_id;
};
/* A page of them. */
struct comment_page {
    struct comment_position position; /* begins behind it, and becomes that of the last one */
    int64_t limit;
    struct entry_sink *sink; /* of struct comment, with identifiers */
    int64_t count;
    bool has_more;
};

/** Gives a page of the comments on a piece. STATUS_ALBUM_NOT_FOUND and so on, also of what is not
 * for this reader, NULL for nobody. */
enum status comments_page(struct db_batch *batch, struct piece_name piece,
                          const struct session_claim *reader, struct comment_page *page) MUST_CHECK;

/** Adds the same with every identifier, for an administrator. */
const struct db_rows *comments_show_add(struct db_batch *batch, enum subject subject, int64_t id);

/** STATUS_ALBUM_NOT_FOUND and so on, also of what the user may not see. STATUS_TOO_MUCH_TODAY where
 * a request comes to be more than an account may write on a piece of another user in 24 hours. */
enum status comment_insert(struct db_batch *batch, struct piece_name piece, int64_t user_id,
                           const char *text, int64_t *comment_id) MUST_CHECK;
/** Deletes it with its answer, for who wrote it or the owner of the piece.
 * STATUS_COMMENT_NOT_FOUND, also where the user may not see the piece; STATUS_NOT_OWNER. */
enum status comment_withdraw(struct db_batch *batch, int64_t user_id,
                             int64_t comment_id) MUST_CHECK;
/** The answer of the piece's owner, in the place of the one before; NULL is none. As above. */
enum status comment_answer(struct db_batch *batch, int64_t user_id, int64_t comment_id,
                           const char *text) MUST_CHECK;

/* What an administrator does to anybody's. */

/** The owner's answer, in the place of the one before. STATUS_COMMENT_NOT_FOUND, here and below. */
enum status comment_reply(struct db_batch *batch, int64_t comment_id, const char *text) MUST_CHECK;
/** With its answer. */
enum status comment_delete(struct db_batch *batch, int64_t comment_id) MUST_CHECK;
/** Changes its text and its answer. NULL leaves what is there; an empty answer is none. */
enum status comment_edit(struct db_batch *batch, int64_t comment_id, const char *text,
                         const char *reply) MUST_CHECK;

/** All about a comment, as one row for the function. */
enum status comment_show(struct db_batch *batch, int64_t comment_id, db_row_function *function,
                         void *context) MUST_CHECK;
/** Streams the same of all comments that a user wrote, or with 0 of everybody's. */
enum status comment_list(struct db_batch *batch, int64_t user_id, const struct list_part *part,
                         db_row_function *function, void *context) MUST_CHECK;

#endif
