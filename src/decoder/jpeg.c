#include "decoder/jpeg.h"

enum {
    FIRST = 0xc0, /* of the markers that have a segment; libjpeg skips no byte behind others */
    RESTART = 0xd0,
    RESTARTS = 8,
    MARKER = 2, /* bytes, as is the length behind it */
    LENGTH = 2,
};

unsigned char jpeg_next(struct bytes *bytes)
{
    for (; bytes->length >= MARKER; bytes_skip(bytes, 1)) {
        unsigned char marker = bytes->at[1];
        if (bytes->at[0] == 0xff && marker >= FIRST && marker != 0xff &&
            (marker < RESTART || marker >= RESTART + RESTARTS))
            return marker;
    }
    return 0;
}

bool jpeg_skip_segment(struct bytes *bytes, struct bytes *content)
{
    size_t length = (size_t)bytes_number(*bytes, MARKER, LENGTH);
    *content = bytes_part(*bytes, MARKER + LENGTH, length > LENGTH ? length - LENGTH : 0);
    return bytes->length >= MARKER + LENGTH && bytes_skip(bytes, MARKER + length);
}
