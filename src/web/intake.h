/*
 * A request's way in: FastCGI records (FastCGI Specification 1.0), read off the connection and held
 * against the specification. libfcgi 2.4 has no bound on what it reads, ends the process over
 * lengths that lie, and writes beyond an array when a management record asks it to; so it sees
 * nothing of them, and writes the answer alone.
 */
#ifndef MAPDIARY_WEB_INTAKE_H
#define MAPDIARY_WEB_INTAKE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/status.h"

enum {
    INTAKE_VARIABLES_MOST = 131072, /* bytes; nginx sends up to some 33,000 as it is shipped */
    INTAKE_BODY_MOST = 1048576,     /* bytes that are kept */
};

/* All zeros is an intake that nothing was read into. */
struct intake {
    struct buffer variables; /* once all have come: "NAME=value", each with a NUL after it */
    struct buffer body;      /* with a NUL after it that is not part of it */
    size_t body_length; /* of all that was sent; what is more than INTAKE_BODY_MOST is dropped */

    struct buffer received; /* records that are not taken apart yet */
    size_t taken;           /* bytes of them that are */
    unsigned int phase, request_id;
};

/**
 * Reads once from a socket, and takes apart what came; it does not wait where nothing has. A
 * request is read to its end, whatever its size: a web server that is not done with sending would
 * see a reset instead of an answer. Any status but STATUS_OK means that no request will come, and
 * that the connection must be closed; the reason is logged. STATUS_UNAVAILABLE: the connection
 * ended. STATUS_MALFORMED_REQUEST: it is no request to a responder, was aborted, or has a
 * management record in it. STATUS_REQUEST_TOO_LARGE: its variables are.
 */
enum status intake_read(struct intake *intake, int connection) MUST_CHECK;

/** True where nothing of a request was read. */
bool intake_is_empty(const struct intake *intake);

/** True where all of a request was read. */
bool intake_is_whole(const struct intake *intake);

/** A descriptor of a file that holds all of it, for another process of this program; -1, with errno
 * set, where the system has none. The caller closes it. */
int intake_save(const struct intake *intake);

/** Reads what intake_save() wrote, in place of what the intake held. False where that does not
 * work; the intake is empty then. */
bool intake_load(struct intake *intake, int file);

/** Bytes that it holds. */
size_t intake_size(const struct intake *intake);

/** Empties it for the next request; it keeps a little of its memory. */
void intake_reset(struct intake *intake);
/** Leaves it all zeros. */
void intake_free(struct intake *intake);

#endif
