#include "rows/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/user.h"

enum { BLOCK = 1 << 18 };

enum status input_open(struct input *input, const char *path)
{
    struct stat found;
    bool is_standard = strcmp(path, "-") == 0;
    *input = (struct input){.name = is_standard ? "standard input" : path};
    user_return(); /* it is the caller's */
    input->file = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    user_resume();
    if (input->file < 0) {
        log_error("%s: %s", path, strerror(errno));
        return STATUS_NOT_FOUND;
    }
    input->block = memory_zeroed(1, BLOCK);
    if (fstat(input->file, &found) == 0 && S_ISREG(found.st_mode))
        input->size = found.st_size;
    return STATUS_OK;
}

void input_close(struct input *input)
{
    if (input->file > STDIN_FILENO)
        close(input->file);
    free(input->block);
    *input = (struct input){0};
}

/* Some programs put a byte order mark before UTF-8. */
static const char mark[] = "\xef\xbb\xbf";
enum { MARK = sizeof mark - 1 };

/* What a pipe has now, be it less than a block: who writes may be slow. */
static ssize_t read_some(const struct input *input, size_t at)
{
    ssize_t got;
    do
        got = read(input->file, input->block + at, BLOCK - at);
    while (got < 0 && errno == EINTR);
    return got;
}

/* As much as a mark has at least, if the file has as much. The mark is skipped. */
static ssize_t read_first(struct input *input)
{
    size_t length = 0;
    ssize_t got;
    while (length < MARK && (got = read_some(input, length)) != 0) {
        if (got < 0)
            return got;
        length += (size_t)got;
    }
    if (length >= MARK && memcmp(input->block, mark, MARK) == 0) {
        input->start = MARK;
        input->read = MARK;
    }
    return (ssize_t)length;
}

/* False, logged, if reading fails. Nothing is there at the end of the file. */
static bool read_block(struct input *input)
{
    input->start = 0;
    ssize_t got = input->read == 0 ? read_first(input) : read_some(input, 0);
    input->end = got > 0 ? (size_t)got : 0;
    if (got < 0)
        log_error("%s: %s", input->name, strerror(errno));
    return got >= 0;
}

void input_end_row(struct input *input)
{
    input->row = input->read;
}

static enum status refuse_row(const struct input *input)
{
    log_error("%s: what begins after %lld bytes has more than the %d that a row may have",
              input->name, (long long)input->row, INPUT_ROW_MOST);
    return STATUS_PARAMETER_INVALID;
}

enum status input_peek(struct input *input, const char **bytes, size_t *length)
{
    if (input->read - input->row > INPUT_ROW_MOST)
        return refuse_row(input);
    if (input->start == input->end && !read_block(input))
        return STATUS_INTERNAL;
    *bytes = input->block + input->start;
    *length = input->end - input->start;
    return STATUS_OK;
}

void input_take(struct input *input, size_t length)
{
    input->start += length;
    input->read += (int64_t)length;
}

enum status input_read_line(struct input *input, struct buffer *line)
{
    const char *bytes = NULL, *feed = NULL;
    size_t length = 0;
    line->length = 0;
    do {
        enum status status = input_peek(input, &bytes, &length);
        if (status != STATUS_OK)
            return status;
        feed = memchr(bytes, '\n', length);
        length = feed != NULL ? (size_t)(feed - bytes) + 1 : length;
        buffer_add(line, bytes, length);
        input_take(input, length);
    } while (feed == NULL && length > 0);
    buffer_room(line, 1)[0] = '\0';
    return STATUS_OK;
}

enum status input_complain(const struct input *input, int64_t line, int64_t column,
                           const char *reason)
{
    log_error("%s:%lld:%lld: %s", input->name, (long long)line, (long long)column, reason);
    return STATUS_PARAMETER_INVALID;
}
