/*
 * A growing run of bytes.
 */
#ifndef MAPDIARY_BASE_BUFFER_H
#define MAPDIARY_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* All zeros is an empty buffer. */
struct buffer {
    char *data;
    size_t length;
    size_t capacity;
};

/** For buffer_room(), where there is none yet. */
char *buffer_grow(struct buffer *buffer, size_t more) __attribute__((returns_nonnull));
/** Makes room for more bytes after the end and returns where they go; the caller adds to length
 * what it wrote. */
static inline char *buffer_room(struct buffer *buffer, size_t more)
{
    bool is_there = more < buffer->capacity - buffer->length;
    return is_there ? buffer->data + buffer->length : buffer_grow(buffer, more);
}

void buffer_add(struct buffer *buffer, const void *bytes, size_t length);
void buffer_add_text(struct buffer *buffer, const char *text);
void buffer_add_format(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** Empties the buffer. It keeps its memory up to keep bytes, and gives back what is more. */
void buffer_reset(struct buffer *buffer, size_t keep);
void buffer_free(struct buffer *buffer);

#endif
