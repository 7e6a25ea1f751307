#include "fcgi/input.h"

#include <errno.h>
#include <fastcgi.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

enum { RECEIVED_MOST = 65536 }; /* at a time */

enum { PHASE_BEGIN, PHASE_VARIABLES, PHASE_BODY, PHASE_DONE };

static const unsigned char types[] = {
    [PHASE_BEGIN] = FCGI_BEGIN_REQUEST,
    [PHASE_VARIABLES] = FCGI_PARAMS,
    [PHASE_BODY] = FCGI_STDIN,
};

static unsigned int two_bytes(const unsigned char *at)
{
    return (unsigned int)at[0] << 8 | at[1];
}

/* Keeping -------------------------------------------------------------------------------------- */

static enum status spill(struct input *input, const struct spool *spool)
{
    struct buffer *records = &input->records;
    enum status status = STATUS_OK;
    if (records->length > 0)
        status = spool_add(spool, &input->file, records->data, records->length);
    records->length = 0;
    return status;
}

static enum status keep(struct input *input, const struct input_options *options,
                        const unsigned char *bytes, size_t length)
{
    bool is_of_body = input->phase == PHASE_BODY && input->content_length > 0;
    if (is_of_body && input_is_cut(input))
        return STATUS_OK;
    buffer_add(&input->records, bytes, length);
    bool fits = input->records.length <= INPUT_MEMORY_MOST;
    return fits ? STATUS_OK : spill(input, options->spool);
}

/* Records -------------------------------------------------------------------------------------- */

static enum status count_content(struct input *input)
{
    size_t length = input->content_length;
    if (input->phase == PHASE_BEGIN && length != sizeof(FCGI_BeginRequestBody))
        return STATUS_MALFORMED_REQUEST;
    if (input->phase == PHASE_VARIABLES) {
        if (length > INPUT_VARIABLES_MOST - input->variables_length)
            return STATUS_REQUEST_TOO_LARGE;
        input->variables_length += length;
    }
    if (input->phase == PHASE_BODY)
        input->body_length += length;
    return STATUS_OK;
}

/* Padding says nothing, and is not kept: so the header says that there is none. */
static enum status open_record(struct input *input, const struct input_options *options)
{
    const FCGI_Header *header = (const FCGI_Header *)input->header;
    unsigned int request_id = two_bytes(&header->requestIdB1);
    if (input->phase == PHASE_BEGIN) {
        input->request_id = request_id;
        input->body_most = options->body_most;
    }
    if (header->version != FCGI_VERSION_1 || header->type != types[input->phase] ||
        request_id == 0 || request_id != input->request_id)
        return STATUS_MALFORMED_REQUEST;
    input->content_length = input->content_left = two_bytes(&header->contentLengthB1);
    input->padding_left = header->paddingLength;
    input->header[offsetof(FCGI_Header, paddingLength)] = 0;
    enum status status = count_content(input);
    return status == STATUS_OK ? keep(input, options, input->header, FCGI_HEADER_LEN) : status;
}

/* Its first two bytes; they may come apart. */
static bool is_for_a_responder(const struct input *input, const unsigned char *bytes, size_t length)
{
    static const unsigned char role[] = {0, FCGI_RESPONDER};
    size_t at = input->content_length - input->content_left;
    for (size_t i = 0; i < length && at + i < sizeof role; i++)
        if (bytes[i] != role[at + i])
            return false;
    return true;
}

static enum status take_content(struct input *input, const struct input_options *options,
                                const unsigned char *bytes, size_t length)
{
    bool is_right = true;
    if (input->phase == PHASE_BEGIN)
        is_right = is_for_a_responder(input, bytes, length);
    if (input->phase == PHASE_VARIABLES)
        is_right = pairs_take(&input->pairs, bytes, length);
    input->content_left -= (unsigned int)length;
    return is_right ? keep(input, options, bytes, length) : STATUS_MALFORMED_REQUEST;
}

/* A stream ends with an empty record. */
static enum status close_record(struct input *input)
{
    input->header_length = 0;
    if (input->phase != PHASE_BEGIN && input->content_length > 0)
        return STATUS_OK;
    input->phase++;
    return pairs_are_whole(&input->pairs) ? STATUS_OK : STATUS_MALFORMED_REQUEST;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Takes what belongs together of the bytes, and sets how many those are. */
static enum status take_some(struct input *input, const struct input_options *options,
                             const unsigned char *bytes, size_t length, size_t *taken)
{
    enum status status = STATUS_OK;
    if (input->header_length < FCGI_HEADER_LEN) {
        *taken = least(length, FCGI_HEADER_LEN - input->header_length);
        memcpy(input->header + input->header_length, bytes, *taken);
        input->header_length += (unsigned int)*taken;
        if (input->header_length == FCGI_HEADER_LEN)
            status = open_record(input, options);
    } else if (input->content_left > 0) {
        *taken = least(length, input->content_left);
        status = take_content(input, options, bytes, *taken);
    } else {
        *taken = least(length, input->padding_left);
        input->padding_left -= (unsigned int)*taken;
    }
    bool is_whole = input->header_length == FCGI_HEADER_LEN && input->content_left == 0 &&
                    input->padding_left == 0;
    return status == STATUS_OK && is_whole ? close_record(input) : status;
}

static enum status take_all(struct input *input, const struct input_options *options,
                            const unsigned char *bytes, size_t length)
{
    enum status status = STATUS_OK;
    while (status == STATUS_OK && length > 0 && input->phase != PHASE_DONE) {
        size_t taken = 0;
        status = take_some(input, options, bytes, length, &taken);
        bytes += taken;
        length -= taken;
    }
    if (status == STATUS_OK && input->phase == PHASE_DONE && input->file.is_open)
        status = spill(input, options->spool);
    return status;
}

/* Reading -------------------------------------------------------------------------------------- */

static void complain(const struct input *input, const char *reason)
{
    static const char *const places[] = {
        [PHASE_BEGIN] = "at its begin",
        [PHASE_VARIABLES] = "in its variables",
        [PHASE_BODY] = "in its body",
        [PHASE_DONE] = "at its end",
    };
    log_warning("fastcgi: a connection is closed without an answer: %s, %s", reason,
                places[input->phase]);
}

static const char *reason_of(enum status status)
{
    if (status == STATUS_REQUEST_TOO_LARGE)
        return "more than a request may have";
    return status == STATUS_UNAVAILABLE ? "it cannot be spooled" : "no request to a responder";
}

enum status input_read(struct input *input, int connection, const struct input_options *options)
{
    static unsigned char received[RECEIVED_MOST];
    ssize_t got;
    do
        got = recv(connection, received, sizeof received, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN)
        return STATUS_OK;
    if (got <= 0) {
        complain(input, "cut short");
        return STATUS_UNAVAILABLE;
    }
    input->received += (size_t)got;
    enum status status = take_all(input, options, received, (size_t)got);
    if (status != STATUS_OK)
        complain(input, reason_of(status));
    return status;
}

bool input_is_empty(const struct input *input)
{
    return input->phase == PHASE_BEGIN && input->header_length == 0 && input->records.length == 0;
}

bool input_is_whole(const struct input *input)
{
    return input->phase == PHASE_DONE;
}

bool input_is_cut(const struct input *input)
{
    return input->body_length > input->body_most || input->pairs.body_length > input->body_most;
}

/* From one process to another ------------------------------------------------------------------ */

bool input_settle(struct input *input, const struct spool *spool)
{
    return !input->file.is_open || spill(input, spool) == STATUS_OK;
}

void input_adopt(struct input *input, const struct spool *spool, int descriptor,
                 const char *records)
{
    size_t length = input->records.length;
    input->records = (struct buffer){0};
    buffer_add(&input->records, records, length);
    if (!input->file.is_open)
        return;
    input->file.descriptor = descriptor;
    spool_receive(spool, &input->file);
}

void input_reset(struct input *input, const struct spool *spool)
{
    struct buffer records = input->records;
    buffer_reset(&records, INPUT_MEMORY_MOST);
    spool_drop(spool, &input->file);
    *input = (struct input){.records = records};
}

void input_free(struct input *input, const struct spool *spool)
{
    buffer_free(&input->records);
    spool_drop(spool, &input->file);
    *input = (struct input){0};
}
