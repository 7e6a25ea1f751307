/*
 * Lists of pieces as Atom (RFC 4287, with GeoRSS Simple): what a feed and its entries have beside
 * what is answered in any form.
 */
#ifndef MAPDIARY_API_FEED_H
#define MAPDIARY_API_FEED_H

#include "api/operation.h"
#include "model/finding.h"

struct feed {
    char *id;
    const char *title;
    const char *updated;
    const char *self, *next; /* addresses; next is NULL on the last page */
    const char *alternate;   /* the address of the page with the same pieces, or of the site */
};

/* What a feed has. */
struct feed_source {
    const char *site;     /* its identifier */
    const char *contents; /* the words, the place or the user; NULL: all pieces of a kind */
    int64_t user_id;      /* 0: of all users */
};

/* Of struct listed_piece. */
extern const struct field feed_entry_shape[];

/** The feed of a page, whose pieces get what their entries have. next is the text of the next page,
 * NULL for the last one. */
struct feed feed_make(const struct call *call, const struct feed_source *source,
                      struct listed_piece *pieces, size_t count, const char *next);

#endif
