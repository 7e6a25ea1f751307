/*
 * What a web server sends, or somebody else who can connect. What the intake takes is a request
 * like any other.
 */
#include "web/intake.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "fuzz.h"
#include "web/request.h"

static size_t next_length(const uint8_t **at)
{
    size_t length = *(*at)++;
    if (length < 128)
        return length;
    length -= 128;
    for (int i = 0; i < 3; i++)
        length = length << 8 | *(*at)++;
    return length;
}

static void add_text(struct buffer *out, const uint8_t **at, size_t length, char end)
{
    buffer_add(out, *at, length);
    buffer_add(out, &end, 1);
    *at += length;
}

/* The contents of all records of variables. */
static void collect(struct buffer *pairs, const uint8_t *data, size_t size)
{
    enum { HEADER = 8, PARAMS = 4 };
    for (size_t at = 0; size - at >= HEADER;) {
        const uint8_t *header = data + at;
        size_t length = (size_t)(header[4] << 8 | header[5]);
        if (header[1] == PARAMS)
            buffer_add(pairs, header + HEADER, length);
        if (header[1] == PARAMS && length == 0)
            return;
        at += HEADER + length + header[6];
    }
}

/* What was taken is what was sent, each name and value as a text. */
static void require_variables(const struct buffer *variables, const uint8_t *data, size_t size)
{
    struct buffer pairs = {0}, texts = {0};
    collect(&pairs, data, size);
    const uint8_t *at = (const uint8_t *)pairs.data;
    for (size_t left = pairs.length; left > 0;) {
        const uint8_t *start = at;
        size_t name = next_length(&at), value = next_length(&at);
        add_text(&texts, &at, name, '=');
        add_text(&texts, &at, value, '\0');
        left -= (size_t)(at - start);
    }
    REQUIRE(variables->length == texts.length);
    REQUIRE(texts.length == 0 || memcmp(variables->data, texts.data, texts.length) == 0);
    buffer_free(&pairs);
    buffer_free(&texts);
}

static void require_request(const struct intake *intake)
{
    struct arena *arena = arena_new();
    struct request request;
    enum status status = request_read(intake, arena, &request);
    REQUIRE(status != STATUS_OK || request.body_length == intake->body_length);
    REQUIRE(request.identifier != NULL);
    arena_free(&arena);
}

/* Sends the bytes as fast as they are taken, and then no more. */
static enum status take(struct intake *intake, const uint8_t *bytes, size_t size)
{
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    intake_reset(intake);
    enum status status = STATUS_OK;
    for (size_t sent = 0; status == STATUS_OK && !intake_is_whole(intake);) {
        ssize_t more = send(ends[0], bytes + sent, size - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        sent += more > 0 ? (size_t)more : 0;
        if (sent == size)
            shutdown(ends[0], SHUT_WR);
        status = intake_read(intake, ends[1]);
    }
    close(ends[0]);
    close(ends[1]);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct intake intake;
    log_set_level((enum log_level)0); /* nothing */
    enum status status = take(&intake, data, size);
    REQUIRE(intake.variables.length <= INTAKE_VARIABLES_MOST);
    REQUIRE(intake.body.length <= INTAKE_BODY_MOST);
    if (status == STATUS_OK) {
        REQUIRE(intake.body.data[intake.body.length] == '\0');
        require_variables(&intake.variables, data, size);
        require_request(&intake);
    }
    return 0;
}
