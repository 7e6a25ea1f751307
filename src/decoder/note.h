/*
 * What the camera noted in a picture: where and when it was taken.
 */
#ifndef MAPDIARY_DECODER_NOTE_H
#define MAPDIARY_DECODER_NOTE_H

#include <stddef.h>

#include "media/picture.h"

/** Of the Exif in a JPEG, PNG, WebP, HEIC or AVIF, whether the rest of it can be read or not; what
 * is missing or makes no sense is left out. */
struct camera_note note_read(const unsigned char *bytes, size_t length);

#endif
