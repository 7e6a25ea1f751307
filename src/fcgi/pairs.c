#include "fcgi/pairs.h"

#include <string.h>

/* An empty name or value has no byte that would end it. */
static void next_part(struct pairs *pairs)
{
    do {
        pairs->part = pairs->part == PAIRS_VALUE ? PAIRS_NAME_LENGTH : pairs->part + 1;
        pairs->left = pairs->part >= PAIRS_NAME ? pairs->lengths[pairs->part - PAIRS_NAME] : 0;
    } while (pairs->part >= PAIRS_NAME && pairs->left == 0);
}

/* A length is a byte, or four of which the first has its highest bit set. */
static void take_length(struct pairs *pairs, unsigned char byte)
{
    uint32_t *length = &pairs->lengths[pairs->part];
    bool is_first = pairs->left == 0, is_long = is_first && byte >= 0x80;
    *length = is_first ? byte & 0x7f : *length << 8 | byte;
    pairs->left = is_long ? 3 : pairs->left - !is_first;
    if (pairs->left == 0)
        next_part(pairs);
}

static bool goes_on_as(const struct pairs *pairs, const char *name, const unsigned char *bytes,
                       size_t size)
{
    size_t at = pairs->lengths[0] - pairs->left;
    return pairs->lengths[0] == strlen(name) && memcmp(bytes, name + at, size) == 0 &&
           (at == 0 || pairs->is_body_length);
}

static void read_body_length(struct pairs *pairs, const unsigned char *bytes, size_t size)
{
    if (pairs->part == PAIRS_NAME)
        pairs->is_body_length = goes_on_as(pairs, "CONTENT_LENGTH", bytes, size);
    else if (pairs->is_body_length)
        for (size_t i = 0; i < size && pairs->body_length < SIZE_MAX / 16; i++)
            pairs->body_length = pairs->body_length * 10 + (bytes[i] & 0xf);
}

/* Answers how many of the bytes belong to the part, or 0 where one may not be there. */
static size_t take_text(struct pairs *pairs, const unsigned char *bytes, size_t length)
{
    size_t size = length < pairs->left ? length : pairs->left;
    if (memchr(bytes, '\0', size) != NULL ||
        (pairs->part == PAIRS_NAME && memchr(bytes, '=', size) != NULL))
        return 0;
    read_body_length(pairs, bytes, size);
    pairs->left -= (uint32_t)size;
    if (pairs->left == 0)
        next_part(pairs);
    return size;
}

bool pairs_take(struct pairs *pairs, const unsigned char *bytes, size_t length)
{
    for (size_t at = 0, size; at < length; at += size) {
        if (pairs->part < PAIRS_NAME) {
            take_length(pairs, bytes[at]);
            size = 1;
        } else {
            size = take_text(pairs, bytes + at, length - at);
        }
        if (size == 0)
            return false;
    }
    return true;
}

bool pairs_are_whole(const struct pairs *pairs)
{
    return pairs->part == PAIRS_NAME_LENGTH && pairs->left == 0;
}
