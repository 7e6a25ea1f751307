/*
 * The shapes that several operations answer with. The order of their rows is the interface's.
 */
#ifndef MAPDIARY_API_SHAPES_H
#define MAPDIARY_API_SHAPES_H

#include "document/shape.h"
#include "model/comment.h"
#include "model/piece.h"
#include "model/vote.h"

extern const struct field date_shape[];         /* of struct date */
extern const struct field place_shape[];        /* of struct place */
extern const struct field comment_shape[];      /* of struct comment */
extern const struct field author_reply_shape[]; /* the same: its answer */
extern const struct field vote_shape[];         /* of struct vote */

/* clang-format off */
/* The rows for a struct piece that lies at this offset. */
#define PIECE_ROWS(at)                                                                       \
    {ROW("category", INTEGER, (at) + offsetof(struct piece, category))},                     \
    {ROW("Location", OBJECT, (at) + offsetof(struct piece, place)), .shape = place_shape},   \
    {ROW("ownerName", TEXT, (at) + offsetof(struct piece, owner_name))},                     \
    {ROW("ownerIcon", TEXT, (at) + offsetof(struct piece, owner_icon))},                     \
    {ROW("updateDate", OBJECT, (at) + offsetof(struct piece, updated)), .shape = date_shape},\
    {ROW("score", INTEGER, (at) + offsetof(struct piece, score))}

/* The row for comments, which are streamed. */
#define COMMENTS_ROW                                                                         \
    {ROW("comments", STREAM, 0), .optional = true, .shape = comment_shape, .item = "comment"}
/* clang-format on */

#endif
