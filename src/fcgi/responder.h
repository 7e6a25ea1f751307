/*
 * A responder: a request that was read and checked, as libfcgi reads it from its records, and its
 * answer, as libfcgi frames it. The one place that knows how libfcgi is made to do that.
 */
#ifndef MAPDIARY_FCGI_RESPONDER_H
#define MAPDIARY_FCGI_RESPONDER_H

#include <fcgiapp.h>

#include "fcgi/input.h"

/* First the request is read to its end, then the answer is written. */
struct responder {
    FCGX_Request fastcgi;
    int connection;
    int memory;         /* a file for libfcgi to read records from that are in no other */
    size_t memory_size; /* its length */
    size_t body_length; /* of all that was sent */
};

/** False, with the reason logged, where libfcgi or the system will not. It sets signal handlers of
 * its own: see to signals later. */
bool responder_open(struct responder *responder);

/**
 * Has libfcgi read a whole input, up to its body; the answer will go to the connection, which is
 * the responder's then. False, with the reason logged, where it does not.
 */
bool responder_begin(struct responder *responder, struct input *input, int connection);

/** The value of a variable, as long as the responder; NULL where there is none. */
const char *responder_variable(const struct responder *responder, const char *name);

/** Reads so many bytes of the body; fewer only where it ends. */
size_t responder_read(struct responder *responder, char *to, size_t length);

/** Reads over what is left of the body; from here on the answer is written. False, with the reason
 * logged, where libfcgi has not found what was checked. */
bool responder_turn(struct responder *responder);

/** Adds to the answer. False where it cannot be sent. */
bool responder_write(struct responder *responder, const char *bytes, size_t length);

/** Sends what is left of the answer and its end, and closes the connection. */
void responder_end(struct responder *responder);

/** Ends a connection so that nobody takes what was sent for the whole answer; responder_end() comes
 * after it. */
void responder_break(struct responder *responder);

void responder_close(struct responder *responder);

#endif
