/*
 * Comments under a piece, with the answer of the piece's owner.
 */
#ifndef MAPDIARY_MODEL_COMMENT_H
#define MAPDIARY_MODEL_COMMENT_H

#include <stdint.h>

struct comment {
    int64_t time; /* seconds since the epoch, as reply_time */
    const char *commenter_name;
    const char *commenter_icon;
    const char *text;
    int64_t reply_time;
    const char *reply; /* NULL while there is none */
};

#endif
