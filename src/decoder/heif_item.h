/*
 * What a HEIC or AVIF file keeps beside its pictures: items (ISO/IEC 14496-12, 8.11).
 */
#ifndef MAPDIARY_DECODER_HEIF_ITEM_H
#define MAPDIARY_DECODER_HEIF_ITEM_H

#include "decoder/bytes.h"

/** The Exif of the picture to show, in memory that the caller frees; NULL where there is none. Sets
 * its length. */
unsigned char *heif_item_exif(struct bytes file, size_t *length);

#endif
