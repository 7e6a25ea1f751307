/*
 * Variables as FastCGI has them, pairs of name and value (specification, section 3.4), checked as
 * they come: however they are cut, by records or on their way.
 */
#ifndef MAPDIARY_FCGI_PAIRS_H
#define MAPDIARY_FCGI_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pairs_part {
    PAIRS_NAME_LENGTH,
    PAIRS_VALUE_LENGTH,
    PAIRS_NAME,
    PAIRS_VALUE,
};

/* All zeros is where pairs begin. */
struct pairs {
    enum pairs_part part; /* that comes next, or goes on */
    uint32_t lengths[2];  /* of the name and the value */
    uint32_t left;        /* bytes of the part; of a length: after its first */
    bool is_body_length;  /* the name, as far as it has come, is that of CONTENT_LENGTH */
    size_t body_length;   /* its value, which is 0 where there is none; others check that it is a
                           * number */
};

/** Goes on with these bytes. False where they are no pairs that libfcgi and environ(7) can have: a
 * NUL, or '=' in a name. */
bool pairs_take(struct pairs *pairs, const unsigned char *bytes, size_t length);

/** True where no pair is cut. */
bool pairs_are_whole(const struct pairs *pairs);

#endif
