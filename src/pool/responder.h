/*
 * libfcgi, as the end that answers a request which was read and checked already: the one place that
 * knows how it is made to do that.
 */
#ifndef MAPDIARY_POOL_RESPONDER_H
#define MAPDIARY_POOL_RESPONDER_H

#include <fcgiapp.h>
#include <stdbool.h>

struct responder {
    FCGX_Request fastcgi;
    int opening;             /* a file for libfcgi to read; -1: none */
    unsigned int request_id; /* in it */
};

/** False, with the reason logged, where libfcgi or the system will not. It sets signal handlers of
 * its own: see to signals later. */
bool responder_open(struct responder *responder);

/** Has libfcgi begin the answer to a request on the connection, which is the responder's then.
 * False, with the reason logged, where it does not. */
bool responder_begin(struct responder *responder, unsigned int request_id, int connection);

/** Sends what is left of the answer and its end, and closes the connection. */
void responder_end(struct responder *responder);

void responder_close(struct responder *responder);

#endif
