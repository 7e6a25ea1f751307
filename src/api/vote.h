/*
 * The operations on the votes of blogs: their parameters, answers and handlers.
 */
#ifndef MAPDIARY_API_VOTE_H
#define MAPDIARY_API_VOTE_H

#include "api/operation.h"
#include "model/vote.h"

struct vote_fields {
    int64_t blog_id;
    const char *description;
    const char *choices[VOTE_CHOICES_MOST]; /* NULL: it was not given */
    int64_t choice;
};

/* Of struct vote_fields. */
extern const struct param_spec new_vote_params[], cast_params[], vote_params[];

/* Of struct vote. */
extern const struct field voted_shape[];

handler_function handle_add_vote, handle_cast_vote, handle_close_vote;

#endif
