/*
 * A responder: a request that was read and checked, as libfcgi reads it from its records, and its
 * answer, as libfcgi frames it. The one place that knows how libfcgi is made to do that.
 */
#ifndef MAPDIARY_FCGI_RESPONDER_H
#define MAPDIARY_FCGI_RESPONDER_H

#include <fcgiapp.h>

#include "base/arena.h"
#include "fcgi/input.h"
#include "fcgi/output.h"

/* First the request is read to its end, then the answer is written. */
struct responder {
    FCGX_Request fastcgi;
    const struct spool *spool;
    struct output output;
    int memory;         /* a file for libfcgi to read records from that are in no other */
    size_t memory_size; /* its length */
    int stage;          /* a file for libfcgi to write records to */
    char *staged;       /* what is in it */
    size_t written;     /* bytes of the answer since those in the stage were sent */
    size_t body_length; /* of all that was sent */
    bool body_is_cut;   /* and not all of that is there */
    bool is_broken;
};

/** False, with the reason logged, where libfcgi or the system will not. It sets signal handlers of
 * its own: see to signals later. */
bool responder_open(struct responder *responder, const struct spool *spool);

/**
 * Has libfcgi read a whole input, up to its body; the answer will go to the connection, which is
 * the responder's then. False, with the reason logged, where it does not.
 */
bool responder_begin(struct responder *responder, struct input *input, int connection);

/** Gives the request back whose body was not read: the input is as it was, and the connection the
 * caller's. */
void responder_give_back(struct responder *responder);

/** The value of a variable, as long as the responder; NULL where there is none. */
const char *responder_variable(const struct responder *responder, const char *name);

/** True where there is more than one variable of that name. */
bool responder_has_again(const struct responder *responder, const char *name);

/** The values of all variables of that name, with that text between them: a copy in the arena where
 * there are several. NULL where there is none. */
const char *responder_joined(const struct responder *responder, const char *name,
                             const char *between, struct arena *arena);

/** Reads so many bytes of the body; fewer only where it ends. */
size_t responder_read(struct responder *responder, char *to, size_t length);

/** Reads over what is left of the body; from here on the answer is written. False, with the reason
 * logged, where libfcgi has not found what was checked. */
bool responder_turn(struct responder *responder);

/** Adds to the answer, and sends what has come together as far as the web server takes it. False
 * where that does not work: the answer is broken then. */
bool responder_write(struct responder *responder, const char *bytes, size_t length);

/** The answer cannot be completed: nobody will take what was sent for the whole of it. */
void responder_break(struct responder *responder);

/** Sends what is left of the answer and its end. False where the web server has not taken all of
 * it: then the output is the caller's; else its connection is closed. */
bool responder_end(struct responder *responder);

void responder_close(struct responder *responder);

#endif
