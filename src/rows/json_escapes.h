/*
 * Escapes of JSON that are half a character: \ud800 to \udfff stand in pairs (RFC 8259, 7), and for
 * one that is alone yajl puts a question mark in silence.
 */
#ifndef MAPDIARY_ROWS_JSON_ESCAPES_H
#define MAPDIARY_ROWS_JSON_ESCAPES_H

#include <stdbool.h>
#include <stddef.h>

struct json_escapes {
    char text[6]; /* of the escape that has begun */
    size_t length;
    bool high;  /* the first half of a pair was read */
    bool alone; /* one that is alone was read; whoever looks sets it back */
};

/** Reads on in a document, which may come in pieces of any length. Outside of texts JSON has no
 * backslash, so it does not matter where they are. */
void json_escapes_read(struct json_escapes *escapes, const char *bytes, size_t length);

#endif
