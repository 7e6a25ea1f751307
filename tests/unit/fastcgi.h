/*
 * A web server at the other end of a FastCGI connection (FastCGI Specification 1.0), in a thread,
 * for one request through libfcgi itself.
 */
#ifndef MAPDIARY_TESTS_FASTCGI_H
#define MAPDIARY_TESTS_FASTCGI_H

#include <fcgiapp.h>
#include <stdbool.h>

#include "base/buffer.h"

struct exchange {
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

/** Starts the web server and accepts its request. */
FCGX_Request *fastcgi_begin(const struct exchange *exchange);
/** Finishes the request, and waits for the web server. The caller frees the output. */
struct taken fastcgi_end(void);

#endif
