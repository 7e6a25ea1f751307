/*
 * Whether all of a file is there. libvips stops where it has the pixels that it wants, so that the
 * end may be missing: the other pictures of a GIF, say, or what follows a PNG's pixels. What is
 * behind the end does not matter.
 */
#ifndef MAPDIARY_DECODER_WHOLE_H
#define MAPDIARY_DECODER_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

/** False for a JPEG (ITU-T T.81) without its last marker, a PNG (ISO/IEC 15948) without its last
 * chunk, and a GIF (version 89a) without its trailer. True for all else, of which libvips reads the
 * end. Sets how many scans a JPEG has: libjpeg works on all pixels for each. Other formats have
 * none. */
bool whole_is(const unsigned char *bytes, size_t length, size_t *scans);

#endif
