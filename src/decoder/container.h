/*
 * Containers of pictures that the libraries which read them are too strict or too old for.
 *
 * The library of Debian 12 refuses a HEIC or AVIF file for what it says beside its picture, and
 * each release of the library refuses something else. What the picture does not need is hidden from
 * it, rather than taken to a newer one that no distribution keeps: names are replaced in the bytes,
 * so that nothing moves.
 *
 * The one of GIFs refuses zeros between blocks.
 */
#ifndef MAPDIARY_DECODER_CONTAINER_H
#define MAPDIARY_DECODER_CONTAINER_H

#include <stddef.h>

/** Leaves of a HEIC or AVIF file what its picture needs: no thumbnail, no description, no auxiliary
 * picture but what is transparent. The picture to show is one that is decoded. A brand that is not
 * known gives way to one that the file has beside it. Leaves out what is between the blocks of a
 * GIF. Other files stay as they are. Answers the length that is left. */
size_t container_adapt(unsigned char *bytes, size_t length);

#endif
