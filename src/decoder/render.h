/*
 * A picture as it was sent made into those that are published.
 */
#ifndef MAPDIARY_DECODER_RENDER_H
#define MAPDIARY_DECODER_RENDER_H

#include <stddef.h>

#include "media/decoder_protocol.h"
#include "media/picture.h"

enum { RENDER_SCANS_MOST = 100 }; /* of a JPEG; cameras write some ten */

struct render_job {
    enum picture_kind kind;
    int input, large, small; /* descriptors */
    size_t length;           /* of the input, in bytes */
};

/** What libvips says of a picture that it does not like. */
struct render_result {
    struct decoder_reply reply;
    char complaint[160];
};

/** In a process that does nothing before and nothing after. */
void render(const struct render_job *job, struct render_result *result);

#endif
