#include "decoder/gif.h"

#include <string.h>

enum {
    HEADER = 13, /* with the logical screen's descriptor */
    SCREEN_FLAGS = 10,
    IMAGE = 10, /* with its separator */
    IMAGE_FLAGS = 9,
    IMAGE_SEPARATOR = 0x2c,
    EXTENSION = 0x21,
    TRAILER = 0x3b,
};

bool gif_is(struct bytes file)
{
    return bytes_begin_with(file, "GIF8", 4);
}

static size_t table_length(unsigned char flags)
{
    return flags & 0x80 ? (size_t)3 << ((flags & 7) + 1) : 0;
}

static bool skip_head(struct bytes *rest)
{
    return rest->length >= HEADER &&
           bytes_skip(rest, HEADER + table_length(rest->at[SCREEN_FLAGS]));
}

static bool skip_parts(struct bytes *rest)
{
    while (rest->length > 0 && rest->at[0] > 0)
        if (!bytes_skip(rest, 1 + (size_t)rest->at[0]))
            return false;
    return bytes_skip(rest, 1);
}

/* With the byte before its parts, which says how they are packed. */
static bool skip_image(struct bytes *rest)
{
    return rest->length >= IMAGE &&
           bytes_skip(rest, IMAGE + table_length(rest->at[IMAGE_FLAGS]) + 1) && skip_parts(rest);
}

static bool skip_block(struct bytes *rest)
{
    return rest->at[0] == IMAGE_SEPARATOR ? skip_image(rest)
           : rest->at[0] == EXTENSION     ? bytes_skip(rest, 2) && skip_parts(rest)
                                          : false;
}

static bool has_block(const struct bytes *rest)
{
    return rest->length > 0 && rest->at[0] != TRAILER;
}

bool gif_is_whole(struct bytes rest)
{
    bool is_there = skip_head(&rest);
    while (is_there && has_block(&rest))
        is_there = skip_block(&rest);
    return is_there && rest.length > 0;
}

static void skip_zeros(struct bytes *rest)
{
    while (rest->length > 0 && rest->at[0] == 0)
        bytes_skip(rest, 1);
}

/* To the end of what is kept so far. */
static size_t move(unsigned char *bytes, size_t end, const unsigned char *from, size_t length)
{
    if (from != bytes + end)
        memmove(bytes + end, from, length);
    return end + length;
}

size_t gif_close_up(unsigned char *bytes, size_t length)
{
    struct bytes rest = {bytes, length};
    bool is_there = skip_head(&rest);
    size_t end = length - rest.length;
    if (is_there)
        skip_zeros(&rest);
    while (is_there && has_block(&rest)) {
        const unsigned char *from = rest.at;
        is_there = skip_block(&rest);
        end = move(bytes, end, from, (size_t)(rest.at - from));
        if (is_there)
            skip_zeros(&rest);
    }
    return move(bytes, end, rest.at, rest.length);
}
