#include "base/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

char *buffer_grow(struct buffer *buffer, size_t more)
{
    if (more > SIZE_MAX / 4 - buffer->length)
        abort();
    size_t needed = buffer->length + more;
    if (needed > buffer->capacity) {
        size_t capacity = buffer->capacity < 1024 ? 1024 : buffer->capacity;
        while (capacity < needed)
            capacity *= 2;
        buffer->data = memory_resized(buffer->data, capacity);
        buffer->capacity = capacity;
    }
    return buffer->data + buffer->length;
}

void buffer_add(struct buffer *buffer, const void *bytes, size_t length)
{
    if (length == 0)
        return;
    memcpy(buffer_room(buffer, length), bytes, length);
    buffer->length += length;
}

void buffer_add_text(struct buffer *buffer, const char *text)
{
    buffer_add(buffer, text, strlen(text));
}

void buffer_add_format(struct buffer *buffer, const char *format, ...)
{
    enum { USUAL = 128 };
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(buffer_room(buffer, USUAL), USUAL, format, arguments);
    va_end(arguments);
    if (length >= USUAL) {
        size_t size = (size_t)length + 1;
        vsnprintf(buffer_room(buffer, size), size, format, again);
    }
    buffer->length += length > 0 ? (size_t)length : 0;
    va_end(again);
}

void buffer_reset(struct buffer *buffer, size_t keep)
{
    buffer->length = 0;
    if (buffer->capacity > keep)
        buffer_free(buffer);
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){0};
}
