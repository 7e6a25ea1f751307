/*
 * A web server at the other end of a FastCGI connection (FastCGI Specification 1.0), in a thread,
 * for one request through the input, libfcgi and the answer; and a spool for it.
 */
#ifndef MAPDIARY_TESTS_FASTCGI_H
#define MAPDIARY_TESTS_FASTCGI_H

#include <stdbool.h>

#include "base/buffer.h"
#include "fcgi/responder.h"

/** In /tmp, with room for SPOOL_MOST bytes. */
enum { SPOOL_MOST = 100000000 };
extern const struct spool fastcgi_spool;

struct conversation {
    const char *const *variables; /* "NAME=value", ended by NULL */
    const char *body;
    size_t body_length;
    bool leaves; /* when all is sent, it closes the connection and takes no answer */
};

/* What it took. */
struct taken {
    struct buffer output; /* with a NUL after it */
    bool ended;           /* the application said that this was all */
};

/** Starts the web server and begins the responder; the body is read by the caller, and the
 * responder turned. */
struct responder *fastcgi_begin(const struct conversation *conversation);
/** Gives the request back, and begins it again. */
struct responder *fastcgi_begin_again(void);
/** Ends the responder, and waits for the web server. The caller frees the output. */
struct taken fastcgi_end(void);

#endif
