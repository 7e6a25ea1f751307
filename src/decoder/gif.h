/*
 * The blocks of a GIF (version 89a, whose grammar is in appendix B).
 */
#ifndef MAPDIARY_DECODER_GIF_H
#define MAPDIARY_DECODER_GIF_H

#include "decoder/bytes.h"

bool gif_is(struct bytes file);

/** False where its trailer is missing. */
bool gif_is_whole(struct bytes file);

/** Takes away the zeros that some writers leave between blocks, and browsers skip; what is behind
 * them moves up. Answers the length that is left. */
size_t gif_close_up(unsigned char *bytes, size_t length);

#endif
