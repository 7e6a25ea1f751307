/*
 * The segments of a JPEG (ITU-T T.81, annex B).
 */
#ifndef MAPDIARY_DECODER_JPEG_H
#define MAPDIARY_DECODER_JPEG_H

#include "decoder/bytes.h"

enum { JPEG_END = 0xd9, JPEG_SCAN = 0xda };

/** The next marker that has a segment, or is the end, which they are cut to begin with; before it
 * there may be pixels. Zero: none. */
unsigned char jpeg_next(struct bytes *bytes);

/** Skips a marker with its segment, whose content it sets; false where not all of it is there. */
bool jpeg_skip_segment(struct bytes *bytes, struct bytes *content);

#endif
