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

/* Each has a NUL after it, and there is nothing beside them. */
static void require_variables(const struct buffer *variables)
{
    for (size_t at = 0; at < variables->length;) {
        const char *variable = variables->data + at;
        size_t length = strnlen(variable, variables->length - at);
        REQUIRE(length < variables->length - at && strchr(variable, '=') != NULL);
        at += length + 1;
    }
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
        require_variables(&intake.variables);
        require_request(&intake);
    }
    return 0;
}
