/*
 * A request as the web server handed it over by FastCGI: CGI/1.1 (RFC 3875) variables and a body,
 * checked as far as that is possible without knowing the operation.
 */
#ifndef MAPDIARY_HTTP_REQUEST_H
#define MAPDIARY_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "http/form.h"
#include "http/multipart_form.h"

struct responder;

enum method { METHOD_OTHER, METHOD_GET, METHOD_HEAD, METHOD_POST, METHOD_OPTIONS };

/* Texts are NULL where the request has none; they live in the responder or the arena, as long as
 * the request. */
struct request {
    enum method method;
    const char *query;
    const char *content_type;
    const char *content_length;
    const char *content_encoding;
    size_t body_length; /* bytes, of whatever was sent */
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
    const char *path_info; /* what follows that in the address, decoded */
    const char *sendfile;  /* how the web server sends files that are named to it; ours alone */
    const char
        *kept_back; /* the web server has not sent the body, as it is too large; ours alone */
    const char *identifier; /* the web server's own, or ours: fit for a header and for a log */
};

/**
 * Reads the request, to its end in any case: the responder has turned then and takes the answer.
 * The parameters of its address and its body are in the form, which was all zeros; the caller ends
 * with form_close(), and sees to the form's status (body_read()). STATUS_METHOD_NOT_ALLOWED,
 * STATUS_UNSUPPORTED_MEDIA_TYPE, STATUS_REQUEST_TOO_LARGE, STATUS_PHOTO_TOO_LARGE, with which the
 * body is left out; STATUS_MALFORMED_REQUEST where it is not as long as the variables say.
 */
enum status request_read(struct responder *responder, const struct body_means *means,
                         struct request *request, struct form *form) MUST_CHECK;

/** Reads the variables alone, of a request that is refused for another reason. False where it could
 * not be read to its end; the responder has turned in any case. */
bool request_skip(struct responder *responder, struct arena *arena, struct request *request);

/** The header Cookie, of all its lines; NULL where there is none. It lives in the responder or the
 * arena. */
const char *request_cookies(const struct responder *responder, struct arena *arena);

/** The request came through TLS, as far as the web server knows. */
bool request_is_secure(const struct request *request);

#endif
