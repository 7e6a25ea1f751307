/*
 * A response: built whole and sent at the end, so that an error late in an operation is still a
 * clean answer. Only a list that grows beyond RESPONSE_WHOLE_MOST is sent on while it is written.
 */
#ifndef MAPDIARY_HTTP_RESPONSE_H
#define MAPDIARY_HTTP_RESPONSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"
#include "run/progress.h"

enum { RESPONSE_WHOLE_MOST = 1048576 }; /* bytes */

struct responder;

struct response {
    struct responder *responder;
    struct progress *progress; /* STAGE_WRITING while it is sent: a reader's time is bounded */
    int http_status;
    const char *reason;     /* of the HTTP status */
    const char *identifier; /* of the request; NULL: none */
    const char *content_type;
    const char *vary; /* the header; NULL: none */
    const char
        *shared; /* header lines of every response to this request, not its own; NULL: none */
    const char *policy;    /* header lines of every response: what a browser may do with it */
    struct buffer headers; /* lines that end in CR LF */
    struct buffer body;
    int64_t max_age;   /* seconds for which caches may keep it if it goes out before it is whole;
                        * negative: not at all */
    bool without_body; /* to HEAD, and with 304 */
    bool begun;        /* the headers are out, and perhaps some of the body */
    bool broken;       /* it cannot be completed: the connection must not end as if it were */
    size_t sent;       /* bytes of body */
};

/* Of an answer that is no document: no page may frame it, and opened by itself it loads nothing
 * (Content Security Policy Level 3); pages of other sites may read what CORS gives them. */
#define RESPONSE_POLICY                                                       \
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n" \
    "Cross-Origin-Resource-Policy: cross-origin\r\n"                          \
    "Referrer-Policy: no-referrer\r\n"

/** Adds a header line. The value must be ours, or checked to have no line break in it. */
void response_header(struct response *response, const char *name, const char *value);
void response_header_number(struct response *response, const char *name, int64_t value);

/** Adds Cache-Control: for so many seconds, or not at all where they are negative. */
void response_cache_control(struct response *response, int64_t max_age);

/**
 * Sends what is in the body so far if it is more than a response that is built whole may have; from
 * then on it has neither length nor validator. STATUS_UNAVAILABLE where the client is gone.
 */
enum status response_send_if_large(struct response *response) MUST_CHECK;

/** Drops the body that was built; if some of it is out already, the response is broken. */
void response_discard(struct response *response);

/** Drops the headers and the HTTP status, too. */
void response_restart(struct response *response);

/** Sends all that is not sent yet. It leaves STAGE_WRITING, as responder_end() sends on. */
void response_send(struct response *response);

/** Sends so many bytes of a file, from where it is, as the body, in constant memory. Where it is
 * shorter, the response is broken. */
void response_send_file(struct response *response, int descriptor, int64_t length);

/** Makes a response ready for the next request; it keeps a little of its memory. */
void response_reset(struct response *response, struct responder *responder,
                    struct progress *progress);
void response_free(struct response *response);

#endif
