/*
 * Exif (version 2.32, CIPA DC-008), wherever a file has it: a block of TIFF's directories.
 */
#ifndef MAPDIARY_DECODER_EXIF_H
#define MAPDIARY_DECODER_EXIF_H

#include "decoder/bytes.h"
#include "media/picture.h"

/** True where such a block begins in the first bytes, behind whatever the writers of files put
 * before it; it is cut to begin there. */
bool exif_begins_in(struct bytes *block);

/** What a block says of where and when; what is missing or makes no sense is left out. */
struct camera_note exif_read(struct bytes block);

#endif
