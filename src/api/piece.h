/*
 * The operations on a piece of any kind: their parameters, answers and handlers.
 */
#ifndef MAPDIARY_API_PIECE_H
#define MAPDIARY_API_PIECE_H

#include "api/operation.h"
#include "model/piece.h"
#include "model/subject.h"

struct piece_fields {
    int64_t ids[SUBJECT_COUNT]; /* one of which is not 0: piece_named() */
};

/* Of struct piece_fields, and of any struct that begins with one. */
extern const struct param_spec piece_names[], piece_params[];

/* Exactly one of albumID, POIID and blogID. */
/* clang-format off */
#define PIECE_PARAM {"piece", .one_of = piece_names}
/* clang-format on */

/* The version of a piece that its writer has seen, in this struct. */
/* clang-format off */
#define BASE_VERSION_PARAM(of)                                                                \
    {"baseVersion", {VALUE_INTEGER, ID_RANGE}, .offset = offsetof(of, base_version), .optional = true}
/* clang-format on */

struct score_shown {
    int64_t score;
};

/* Of struct piece_summary, and of struct score_shown. */
extern const struct field piece_shape[], score_shape[];

handler_function handle_get_piece, handle_recommend, handle_take_back;

#endif
