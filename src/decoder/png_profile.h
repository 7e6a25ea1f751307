/*
 * Exif as ImageMagick and others put it into a PNG before there was a chunk for it: in hexadecimal
 * figures within a text, "Raw profile type exif".
 */
#ifndef MAPDIARY_DECODER_PNG_PROFILE_H
#define MAPDIARY_DECODER_PNG_PROFILE_H

#include "decoder/bytes.h"

/** Of a chunk of that type ("tEXt", "zTXt" or "iTXt") what its profile has, in memory that the
 * caller frees; NULL where it has none. Sets its length. */
unsigned char *png_profile_read(uint32_t type, struct bytes chunk, size_t *length);

#endif
