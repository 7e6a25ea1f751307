/*
 * The cookies `id` and `idrand` of a request. Other applications of the same domain have cookies of
 * these names, too, and a browser sends all of them: so there may be several of each, and each id
 * with each token may be a session.
 */
#ifndef MAPDIARY_AUTH_CANDIDATE_H
#define MAPDIARY_AUTH_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "store/session.h"

enum {
    CANDIDATE_TEXTS_MOST = 4, /* of each name */
    CANDIDATES_MOST = CANDIDATE_TEXTS_MOST * CANDIDATE_TEXTS_MOST,
};

/* Different texts, in the order sent. */
struct candidate_texts {
    const char *values[CANDIDATE_TEXTS_MOST];
    size_t count;
};

/* What counts of a request's cookies; all zeros where nothing does. */
struct session_cookies {
    struct candidate_texts ids, tokens;
};

/* A pair that may be a session. */
struct candidate {
    const char *id, *token; /* as sent */
    struct session_claim claim;
};

/* Each claim is there once, in the order of the tokens, and of the ids within one. */
struct candidates {
    struct candidate pairs[CANDIDATES_MOST];
    size_t count;
};

/** Takes up a cookie, whose name and value need not end where they do; the value is copied into the
 * arena. Other names, and values that have not the form of ours, say nothing; nor does one that is
 * there already, or one too many. */
void session_cookies_add(struct session_cookies *cookies, const char *name, size_t name_length,
                         const char *value, size_t value_length, struct arena *arena);

/** All pairs that can be sessions. */
void candidates_of(const struct session_cookies *cookies, struct candidates *candidates);

#endif
