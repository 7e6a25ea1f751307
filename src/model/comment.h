/*
 * Comments under a piece, with the answer of the piece's owner.
 */
#ifndef MAPDIARY_MODEL_COMMENT_H
#define MAPDIARY_MODEL_COMMENT_H

#include <stdint.h>

#include "base/value.h"

/* What is written is shorter than what was imported may be. */
enum { COMMENT_MOST = 5000 };
#define COMMENT_RANGE RANGE(1, COMMENT_MOST)

struct comment {
    int64_t comment_id;
    int64_t commenter_id;
    int64_t time; /* seconds since the epoch, as reply_time */
    const char *commenter_name;
    const char *commenter_icon;
    const char *text;
    int64_t reply_time;
    const char *reply; /* NULL while there is none */
};

#endif
