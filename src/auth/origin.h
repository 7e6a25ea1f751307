/*
 * Writes that a browser sends for a page of another site: cross-site request forgery.
 */
#ifndef MAPDIARY_AUTH_ORIGIN_H
#define MAPDIARY_AUTH_ORIGIN_H

#include <stdbool.h>

/* Headers of a request; NULL where it has none. */
struct origin_headers {
    const char *sec_fetch_site; /* W3C Fetch Metadata Request Headers */
    const char *origin;         /* RFC 6454, section 7 */
    const char *host;
};

/**
 * True where the headers say that a page of another site, not among the allowed origins (separated
 * by spaces), sent the request. Clients that are no browsers send neither header, and pass.
 */
bool origin_is_foreign(const struct origin_headers *headers, const char *allowed);

#endif
