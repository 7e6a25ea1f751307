#include "decoder/bytes.h"

#include <string.h>

/* None may be nowhere, where nothing may be added. */
bool bytes_skip(struct bytes *bytes, size_t count)
{
    if (count > bytes->length)
        return false;
    if (count > 0)
        *bytes = (struct bytes){bytes->at + count, bytes->length - count};
    return true;
}

bool bytes_begin_with(struct bytes bytes, const char *text, size_t length)
{
    return bytes.length >= length && memcmp(bytes.at, text, length) == 0;
}

struct bytes bytes_part(struct bytes bytes, size_t from, size_t length)
{
    if (!bytes_skip(&bytes, from))
        return (struct bytes){bytes.at, 0};
    bytes.length = length < bytes.length ? length : bytes.length;
    return bytes;
}

uint64_t bytes_number(struct bytes bytes, size_t from, size_t size)
{
    uint64_t number = 0;
    struct bytes part = bytes_part(bytes, from, size);
    if (part.length < size)
        return 0;
    for (size_t i = 0; i < size; i++)
        number = number << 8 | part.at[i];
    return number;
}

uint64_t bytes_take(struct bytes *bytes, size_t size)
{
    uint64_t number = bytes_number(*bytes, 0, size);
    if (!bytes_skip(bytes, size))
        bytes->length = 0;
    return number;
}
