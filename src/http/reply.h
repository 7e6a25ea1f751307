/*
 * A reply: built whole and sent at the end, so that an error late in an operation is still a clean
 * answer. Only a list that grows beyond REPLY_WHOLE_MOST is sent on while it is written.
 */
#ifndef MAPDIARY_HTTP_REPLY_H
#define MAPDIARY_HTTP_REPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"
#include "run/progress.h"

enum { REPLY_WHOLE_MOST = 1048576 }; /* bytes */

struct responder;

struct reply {
    struct responder *responder;
    struct progress *progress; /* STAGE_WRITING while it is sent: a reader's time is bounded */
    int http_status;
    const char *reason;     /* of the HTTP status */
    const char *identifier; /* of the request; NULL: none */
    const char *content_type;
    const char *vary;   /* the header; NULL: none */
    const char *shared; /* header lines of every reply to this request, not its own; NULL: none */
    struct buffer headers; /* lines that end in CR LF */
    struct buffer body;
    int64_t max_age;   /* seconds for which caches may keep it if it goes out before it is whole;
                        * negative: not at all */
    bool without_body; /* to HEAD, and with 304 */
    bool begun;        /* the headers are out, and perhaps some of the body */
    bool broken;       /* it cannot be completed: the connection must not end as if it were */
    size_t sent;       /* bytes of body */
};

/** Adds a header line. The value must be ours, or checked to have no line break in it. */
void reply_header(struct reply *reply, const char *name, const char *value);
void reply_header_number(struct reply *reply, const char *name, int64_t value);

/** Adds Cache-Control: for so many seconds, or not at all where they are negative. */
void reply_cache_control(struct reply *reply, int64_t max_age);

/**
 * Sends what is in the body so far if it is more than a reply that is built whole may have; from
 * then on it has neither length nor validator. STATUS_UNAVAILABLE where the client is gone.
 */
enum status reply_send_if_large(struct reply *reply) MUST_CHECK;

/** Drops the body that was built; if some of it is out already, the reply is broken. */
void reply_discard(struct reply *reply);

/** Drops the headers and the HTTP status, too. */
void reply_restart(struct reply *reply);

/** Sends all that is not sent yet. It leaves STAGE_WRITING, as responder_end() sends on. */
void reply_send(struct reply *reply);

/** Makes a reply ready for the next request; it keeps a little of its memory. */
void reply_reset(struct reply *reply, struct responder *responder, struct progress *progress);
void reply_free(struct reply *reply);

#endif
