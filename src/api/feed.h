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
};

/* Of struct listed_piece. */
extern const struct field feed_entry_shape[];

/** The feed of a page, whose pieces get what their entries have. The site is its identifier; next
 * is the text of the next page, NULL for the last one. */
struct feed feed_make(const struct call *call, const char *site, struct listed_piece *pieces,
                      size_t count, const char *next);

#endif
