#include "decoder/whole.h"

#include <stdint.h>
#include <string.h>

/* What is left to read. */
struct rest {
    const unsigned char *bytes;
    size_t length;
};

static bool skip(struct rest *rest, size_t count)
{
    bool is_there = count <= rest->length;
    rest->bytes += is_there ? count : 0;
    rest->length -= is_there ? count : 0;
    return is_there;
}

static bool begins_with(const struct rest *rest, const char *text, size_t length)
{
    return rest->length >= length && memcmp(rest->bytes, text, length) == 0;
}

/* JPEG: annex B -------------------------------------------------------------------------------- */

enum {
    JPEG_FIRST = 0xc0, /* of the markers that have a segment; libjpeg skips no byte behind others */
    JPEG_RESTART = 0xd0,
    JPEG_RESTARTS = 8,
    JPEG_END = 0xd9,
    JPEG_SCAN = 0xda,
};

/* To a marker that has a segment, or is the end; before it there may be pixels. Zero: none. */
static unsigned char next_marker(struct rest *rest)
{
    for (; rest->length >= 2; skip(rest, 1)) {
        unsigned char marker = rest->bytes[1];
        if (rest->bytes[0] == 0xff && marker >= JPEG_FIRST && marker != 0xff &&
            (marker < JPEG_RESTART || marker >= JPEG_RESTART + JPEG_RESTARTS))
            return marker;
    }
    return 0;
}

static bool jpeg_is_whole(struct rest rest, size_t *scans)
{
    unsigned char marker = 0;
    bool is_there = skip(&rest, 2);
    while (is_there && (marker = next_marker(&rest)) != JPEG_END) {
        *scans += marker == JPEG_SCAN;
        is_there = marker != 0 && rest.length >= 4 &&
                   skip(&rest, 2 + ((size_t)rest.bytes[2] << 8 | (size_t)rest.bytes[3]));
    }
    return is_there;
}

/* PNG: section 5.3 ----------------------------------------------------------------------------- */

enum { PNG_SIGNATURE = 8, CHUNK_LEAST = 12, CHUNK_TYPE = 4 };

static size_t chunk_length(const unsigned char *bytes)
{
    return CHUNK_LEAST + ((size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 |
                          (size_t)bytes[3]);
}

static bool png_is_whole(struct rest rest)
{
    bool is_last = false, is_there = skip(&rest, PNG_SIGNATURE);
    while (is_there && !is_last) {
        is_there = rest.length >= CHUNK_LEAST;
        is_last = is_there && memcmp(rest.bytes + CHUNK_TYPE, "IEND", 4) == 0;
        is_there = is_there && skip(&rest, chunk_length(rest.bytes));
    }
    return is_there;
}

/* GIF: its grammar is in appendix B ------------------------------------------------------------ */

enum {
    GIF_HEADER = 13, /* with the logical screen's descriptor */
    GIF_SCREEN_FLAGS = 10,
    GIF_IMAGE = 10, /* with its separator */
    GIF_IMAGE_FLAGS = 9,
    GIF_IMAGE_SEPARATOR = 0x2c,
    GIF_EXTENSION = 0x21,
    GIF_TRAILER = 0x3b,
};

static size_t table_length(unsigned char flags)
{
    return flags & 0x80 ? (size_t)3 << ((flags & 7) + 1) : 0;
}

static bool skip_blocks(struct rest *rest)
{
    while (rest->length > 0 && rest->bytes[0] > 0)
        if (!skip(rest, 1 + (size_t)rest->bytes[0]))
            return false;
    return skip(rest, 1);
}

/* With the byte before its blocks, which says how they are packed. */
static bool skip_image(struct rest *rest)
{
    return rest->length >= GIF_IMAGE &&
           skip(rest, GIF_IMAGE + table_length(rest->bytes[GIF_IMAGE_FLAGS]) + 1) &&
           skip_blocks(rest);
}

static bool gif_is_whole(struct rest rest)
{
    bool is_there = rest.length >= GIF_HEADER &&
                    skip(&rest, GIF_HEADER + table_length(rest.bytes[GIF_SCREEN_FLAGS]));
    while (is_there && rest.length > 0 && rest.bytes[0] != GIF_TRAILER)
        is_there = rest.bytes[0] == GIF_IMAGE_SEPARATOR ? skip_image(&rest)
                   : rest.bytes[0] == GIF_EXTENSION     ? skip(&rest, 2) && skip_blocks(&rest)
                                                        : false;
    return is_there && rest.length > 0;
}

/* ---------------------------------------------------------------------------------------------- */

bool whole_is(const unsigned char *bytes, size_t length, size_t *scans)
{
    const struct rest rest = {bytes, length};
    *scans = 0;
    if (begins_with(&rest, "\xff\xd8", 2))
        return jpeg_is_whole(rest, scans);
    if (begins_with(&rest, "\x89PNG", 4))
        return png_is_whole(rest);
    return !begins_with(&rest, "GIF8", 4) || gif_is_whole(rest);
}
