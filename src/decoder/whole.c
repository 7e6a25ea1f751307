#include "decoder/whole.h"

#include <string.h>

#include "decoder/bytes.h"
#include "decoder/gif.h"
#include "decoder/jpeg.h"

/* JPEG ----------------------------------------------------------------------------------------- */

static bool jpeg_is_whole(struct bytes rest, size_t *scans)
{
    unsigned char marker = 0;
    struct bytes content;
    bool is_there = bytes_skip(&rest, 2);
    while (is_there && (marker = jpeg_next(&rest)) != JPEG_END) {
        *scans += marker == JPEG_SCAN;
        is_there = marker != 0 && jpeg_skip_segment(&rest, &content);
    }
    return is_there;
}

/* PNG: section 5.3 ----------------------------------------------------------------------------- */

enum { PNG_SIGNATURE = 8, CHUNK_LEAST = 12, CHUNK_TYPE = 4 };

static bool png_is_whole(struct bytes rest)
{
    bool is_last = false, is_there = bytes_skip(&rest, PNG_SIGNATURE);
    while (is_there && !is_last) {
        is_there = rest.length >= CHUNK_LEAST;
        is_last = is_there && memcmp(rest.at + CHUNK_TYPE, "IEND", 4) == 0;
        is_there = is_there && bytes_skip(&rest, CHUNK_LEAST + (size_t)bytes_number(rest, 0, 4));
    }
    return is_there;
}

/* ---------------------------------------------------------------------------------------------- */

bool whole_is(const unsigned char *bytes, size_t length, size_t *scans)
{
    const struct bytes rest = {bytes, length};
    *scans = 0;
    if (bytes_begin_with(rest, "\xff\xd8", 2))
        return jpeg_is_whole(rest, scans);
    if (bytes_begin_with(rest, "\x89PNG", 4))
        return png_is_whole(rest);
    return !gif_is(rest) || gif_is_whole(rest);
}
