/*
 * What the camera noted in a picture's EXIF (version 2.32, CIPA DC-008): where and when it was
 * taken.
 */
#ifndef MAPDIARY_DECODER_NOTE_H
#define MAPDIARY_DECODER_NOTE_H

#include <vips/vips.h>

#include "media/picture.h"

/** Of a picture whose header is read; what is missing or makes no sense is left out. */
struct camera_note note_read(const VipsImage *image);

#endif
