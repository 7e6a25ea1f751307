/*
 * Origins (RFC 6454): which pages of other sites may write, and writes that a browser sends for any
 * other, which is cross-site request forgery.
 */
#ifndef MAPDIARY_AUTH_ORIGIN_H
#define MAPDIARY_AUTH_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Headers of a request; NULL where it has none. */
struct origin_headers {
    const char *sec_fetch_site; /* W3C Fetch Metadata Request Headers */
    const char *origin;         /* RFC 6454, section 7 */
    const char *host;
};

/** True where an origin (NULL is none) is one of a list, separated by spaces. */
bool origin_is_listed(const char *origin, const char *list);

/**
 * True where the headers say that a page of another site, not among the allowed origins, sent the
 * request. Clients that are no browsers send neither header, and pass.
 */
bool origin_is_foreign(const struct origin_headers *headers, const char *allowed);

/**
 * STATUS_PARAMETER_INVALID, and why, where a list names what no browser sends as an origin (RFC
 * 6454, section 6.2): scheme, host, and a port where it is not that of the scheme, in lower case.
 */
enum status origin_check_list(const char *list, char *reason, size_t size) MUST_CHECK;

/** The same, where a text is anything but one origin of http or https, as addresses begin with. */
enum status origin_check_url(const char *url, char *reason, size_t size) MUST_CHECK;

#endif
