/*
 * Comments under a piece, with the answer of the piece's owner.
 */
#ifndef MAPDIARY_STORE_COMMENT_H
#define MAPDIARY_STORE_COMMENT_H

#include "db/batch.h"

struct comment {
    int64_t time; /* seconds since the epoch, as reply_time */
    const char *commenter_name;
    const char *commenter_icon;
    const char *text;
    int64_t reply_time;
    const char *reply; /* NULL while there is none */
};

struct comments {
    struct comment *list;
    size_t count;
};

enum comment_subject { COMMENT_ON_ALBUM, COMMENT_ON_POI, COMMENT_ON_BLOG };

/** Adds the query for the comments on a piece to a batch; comments_read() takes its rows once that
 * has run. */
const struct db_rows *comments_add(struct db_batch *batch, enum comment_subject subject,
                                   int64_t id);
struct comments comments_read(const struct db_rows *rows, struct arena *arena);

#endif
