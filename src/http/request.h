/*
 * A request as the web server handed it over by FastCGI: CGI/1.1 (RFC 3875) variables and a body,
 * checked as far as that is possible without knowing the operation.
 */
#ifndef MAPDIARY_HTTP_REQUEST_H
#define MAPDIARY_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/status.h"

struct responder;

enum method { METHOD_OTHER, METHOD_GET, METHOD_HEAD, METHOD_POST, METHOD_OPTIONS };

/* Texts are NULL where the request has none; they live in the responder, the buffer of the
 * body or the arena, as long as the request. */
struct request {
    enum method method;
    const char *query;
    const char *content_type;
    const char *content_length;
    const char *body; /* with a NUL after it that is not part of it */
    size_t body_length;
    const char *cookies;
    const char *if_none_match;
    const char *remote_address;
    const char *host;
    const char *origin;
    const char *sec_fetch_site;
    const char *idempotency_key; /* "", which is none, where it was sent twice */
    const char *https;
    const char *method_name;
    const char *script_name;
    const char *path_info;  /* what follows that in the address, decoded */
    const char *identifier; /* the web server's own, or ours: fit for a header and for a log */
};

/**
 * Reads the request, its body into the buffer, to its end in any case: the responder has turned
 * then and takes the answer. STATUS_METHOD_NOT_ALLOWED, STATUS_UNSUPPORTED_MEDIA_TYPE,
 * STATUS_REQUEST_TOO_LARGE, which leave the body empty; STATUS_MALFORMED_REQUEST where the body is
 * not as long as the variables say.
 */
enum status request_read(struct responder *responder, struct buffer *body, struct arena *arena,
                         struct request *request) MUST_CHECK;

/** The request came through TLS, as far as the web server knows. */
bool request_is_secure(const struct request *request);

#endif
