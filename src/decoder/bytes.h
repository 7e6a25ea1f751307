/*
 * Bytes that strangers sent, read without going beyond their end.
 */
#ifndef MAPDIARY_DECODER_BYTES_H
#define MAPDIARY_DECODER_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    const unsigned char *at;
    size_t length;
};

/** False, and nothing is skipped, where there are not so many. */
bool bytes_skip(struct bytes *bytes, size_t count);

bool bytes_begin_with(struct bytes bytes, const char *text, size_t length);

/** Those behind the first so many, and of these as many as there are, up to length. */
struct bytes bytes_part(struct bytes bytes, size_t from, size_t length);

/** The number that begins there, of up to 8 bytes, the most significant first. Zero where it is not
 * all there. */
uint64_t bytes_number(struct bytes bytes, size_t from, size_t size);

/** The number that they begin with, which is skipped. Where it is not all there, nothing is left.
 */
uint64_t bytes_take(struct bytes *bytes, size_t size);

#endif
