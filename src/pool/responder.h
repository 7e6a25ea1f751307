/*
 * libfcgi, as the end that answers a request which was read and checked already: the one place that
 * knows how it is made to take one.
 */
#ifndef MAPDIARY_POOL_RESPONDER_H
#define MAPDIARY_POOL_RESPONDER_H

#include <fcgiapp.h>
#include <stdbool.h>

#include "web/intake.h"

struct responder {
    FCGX_Request fastcgi;
    int file;      /* of the request's opening, for libfcgi to read */
    char *opening; /* its bytes, in memory */
};

/** False, with the reason logged, where libfcgi or the system will not. It sets signal handlers of
 * its own: see to signals later. */
bool responder_open(struct responder *responder);

/** Has libfcgi take the request, to be answered on the connection, which is the responder's then.
 * False, with the reason logged, where it does not. */
bool responder_begin(struct responder *responder, const struct intake *intake, int connection);

/** Sends what is left of the answer and its end, and closes the connection. */
void responder_end(struct responder *responder);

void responder_close(struct responder *responder);

#endif
