/*
 * The operations on comments: their parameters, answers and handlers.
 */
#ifndef MAPDIARY_API_COMMENT_H
#define MAPDIARY_API_COMMENT_H

#include "api/paging.h"
#include "api/piece.h"

struct comment_fields {
    struct piece_fields piece;
    int64_t comment_id;
    const char *text;
    const char *deleted;
};
struct comment_reading {
    struct piece_fields piece;
    struct paging paging;
};

/* Of struct comment_reading, and of struct comment_fields. */
extern const struct param_spec comments_params[];
extern const struct param_spec new_comment_params[], delete_comment_params[], comment_id_params[],
    reply_params[];

struct comment_added {
    int64_t comment_id;
};

/* Of struct comment_added, and of struct page_shown. */
extern const struct field new_comment_shape[], comments_shape[];

handler_function handle_get_comments, handle_add_comment, handle_delete_comment,
    handle_reply_comment;

#endif
