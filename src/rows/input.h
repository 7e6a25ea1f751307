/*
 * A file that is read from its start to its end, with a word on how far that is.
 */
#ifndef MAPDIARY_ROWS_INPUT_H
#define MAPDIARY_ROWS_INPUT_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"

struct input {
    const char *name; /* for messages */
    int file;
    int64_t size; /* bytes; 0 of a pipe */
    int64_t read; /* bytes taken so far */
    int64_t row;  /* of them, those before the row that is read */
    char *block;
    size_t start, end; /* what of the block was read and not taken */
};

/** Opens a path; "-" is standard input. STATUS_NOT_FOUND, logged. End with input_close(). */
enum status input_open(struct input *input, const char *path) MUST_CHECK;
void input_close(struct input *input);

enum { INPUT_ROW_MOST = 4 << 20 }; /* bytes; the longest blog has less, with each byte escaped */

/** A row ends with what was taken last. */
void input_end_row(struct input *input);

/** What comes next, without taking it; nothing at the end. STATUS_INTERNAL, logged, where reading
 * fails; STATUS_PARAMETER_INVALID, logged, where a row goes on beyond INPUT_ROW_MOST. */
enum status input_peek(struct input *input, const char **bytes, size_t *length) MUST_CHECK;
/** Takes so many bytes of what was peeked at. */
void input_take(struct input *input, size_t length);

/** Reads a line with its line feed, if it has one; empty at the end. There is a NUL
 * behind it. */
enum status input_read_line(struct input *input, struct buffer *line) MUST_CHECK;

/** Logs "file:line:column: reason"; answers STATUS_PARAMETER_INVALID. */
enum status input_complain(const struct input *input, int64_t line, int64_t column,
                           const char *reason);

#endif
