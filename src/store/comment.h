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
void comments_stream(struct db_batch *batch, enum subject subject, int64_t id,
                     const struct session_claim *reader, struct comment_stream *stream);
void comments_begin(struct comment_stream *stream);

/** Adds the same with every identifier, for an administrator. */
const struct db_rows *comments_show_add(struct db_batch *batch, enum subject subject, int64_t id);

/** STATUS_ALBUM_NOT_FOUND and so on. */
enum status comment_insert(struct db_batch *batch, enum subject subject, int64_t id,
                           int64_t user_id, const char *text, int64_t *comment_id) MUST_CHECK;
/** The owner's answer, of which there is one. STATUS_NOT_FOUND; STATUS_CONFLICT where there is one
 * already. */
enum status comment_reply(struct db_batch *batch, int64_t comment_id, const char *text) MUST_CHECK;
/** With its answer. STATUS_NOT_FOUND. */
enum status comment_delete(struct db_batch *batch, int64_t comment_id) MUST_CHECK;
/** Changes its text and its answer. NULL leaves what is there; an empty answer is none.
 * STATUS_NOT_FOUND. */
enum status comment_edit(struct db_batch *batch, int64_t comment_id, const char *text,
                         const char *reply) MUST_CHECK;

/** All about a comment, as one row for the function. STATUS_NOT_FOUND without one. */
enum status comment_show(struct db_batch *batch, int64_t comment_id, db_row_function *function,
                         void *context) MUST_CHECK;
/** Streams the same of all comments that a user wrote, or with 0 of everybody's. */
enum status comment_list(struct db_batch *batch, int64_t user_id, const struct list_part *part,
                         db_row_function *function, void *context) MUST_CHECK;

#endif
