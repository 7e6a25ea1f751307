/*
 * The vote of a blog: one a blog, and one vote a user.
 */
#ifndef MAPDIARY_MODEL_VOTE_H
#define MAPDIARY_MODEL_VOTE_H

#include <stddef.h>
#include <stdint.h>

/* Choices count from 1; those of imports may be more than anybody makes. */
enum { VOTE_CHOICES_LEAST = 2, VOTE_CHOICES_MOST = 10, VOTE_POSITION_MOST = INT16_MAX };

struct vote_choice {
    const char *description;
    int64_t votes;
};

struct vote {
    const char *description; /* NULL: there is no vote */
    struct vote_choices {
        struct vote_choice *list;
        size_t count;
    } choices;
};

#endif
