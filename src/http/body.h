/*
 * The bodies that a request may have: what media type each is of, and how large it may be.
 */
#ifndef MAPDIARY_HTTP_BODY_H
#define MAPDIARY_HTTP_BODY_H

#include <stdbool.h>
#include <stddef.h>

struct body_kind {
    const char *media_type;
    size_t most;                           /* bytes */
    bool (*takes)(const char *parameters); /* what follows the media type, from its ";" */
};

/** That of a Content-Type (RFC 9110, section 8.3); NULL where it is none, or NULL. */
const struct body_kind *body_kind_find(const char *content_type);

/** Bytes that the largest may have. */
size_t body_most(void);

#endif
