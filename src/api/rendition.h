/*
 * From a file that came with a request to the files that are kept of it.
 */
#ifndef MAPDIARY_API_RENDITION_H
#define MAPDIARY_API_RENDITION_H

#include "api/operation.h"
#include "media/picture.h"

struct renditions {
    struct picture picture;
    unsigned char large[CRYPTO_DIGEST_SIZE]; /* or the icon */
    unsigned char small[CRYPTO_DIGEST_SIZE]; /* not of an icon */
};

/**
 * Has the decoder make of an upload what is published of it, and puts that where photos lie; what
 * was sent, too, of a photo. It takes long: no transaction is to be open meanwhile, and the request
 * has its whole time after it. The statuses of decoder_run(), or STATUS_UNAVAILABLE.
 */
enum status renditions_make(struct call *call, const struct upload *upload, enum picture_kind kind,
                            struct renditions *made) MUST_CHECK;

#endif
