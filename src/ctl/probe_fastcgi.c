/*
 * The client's side of one FastCGI request: FastCGI Specification 1.0, sections 3.3 and 5.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/address.h"
#include "base/buffer.h"
#include "ctl/probe.h"

enum { SECONDS = 5, ANSWER_MOST = 65536 };
enum { BEGIN_REQUEST = 1, END_REQUEST = 3, PARAMS = 4, STDIN = 5, STDOUT = 6 };
enum { HEADER_SIZE = 8, HEADER_TYPE = 1, HEADER_LENGTH = 4, HEADER_PADDING = 6 };

/* What is sent is short: lengths of one byte do. */
static void add_record(struct buffer *request, int type, const void *content, size_t length)
{
    const char header[HEADER_SIZE] = {1, (char)type, 0, 1, 0, (char)length, 0, 0};
    buffer_add(request, header, sizeof header);
    buffer_add(request, content, length);
}

static void add_pair(struct buffer *pairs, const char *name, const char *value)
{
    const char lengths[] = {(char)strlen(name), (char)strlen(value)};
    buffer_add(pairs, lengths, sizeof lengths);
    buffer_add_text(pairs, name);
    buffer_add_text(pairs, value);
}

static void add_request(struct buffer *request, const char *script_name)
{
    static const char responder[] = {0, 1, 0, 0, 0, 0, 0, 0}; /* and the connection is closed */
    struct buffer pairs = {0};
    add_pair(&pairs, "REQUEST_METHOD", "GET");
    add_pair(&pairs, "SCRIPT_NAME", script_name);
    add_pair(&pairs, "REMOTE_ADDR", "127.0.0.1");
    add_record(request, BEGIN_REQUEST, responder, sizeof responder);
    add_record(request, PARAMS, pairs.data, pairs.length);
    add_record(request, PARAMS, "", 0);
    add_record(request, STDIN, "", 0);
    buffer_free(&pairs);
}

static bool receive(int connection, void *bytes, size_t length)
{
    return length == 0 || recv(connection, bytes, length, MSG_WAITALL) == (ssize_t)length;
}

/* The answer's standard output; false where it does not come to its end. */
static bool read_answer(int connection, struct buffer *answer)
{
    unsigned char header[HEADER_SIZE], padding[256];
    while (receive(connection, header, sizeof header) && answer->length < ANSWER_MOST) {
        size_t length = (size_t)header[HEADER_LENGTH] << 8 | header[HEADER_LENGTH + 1];
        char *content = buffer_room(answer, length + 1);
        if (!receive(connection, content, length) ||
            !receive(connection, padding, header[HEADER_PADDING]))
            return false;
        if (header[HEADER_TYPE] == END_REQUEST)
            return true;
        answer->length += header[HEADER_TYPE] == STDOUT ? length : 0;
    }
    return false;
}

static bool exchange(int connection, struct buffer *answer)
{
    struct buffer request = {0};
    add_request(&request, "/healthz");
    bool good =
        send(connection, request.data, request.length, MSG_NOSIGNAL) == (ssize_t)request.length &&
        read_answer(connection, answer);
    buffer_free(&request);
    buffer_add(answer, "", 1);
    return good;
}

/* CGI answers without a status are 200: RFC 3875, section 6.3.3. */
static enum probe_outcome judge(const struct buffer *answer, char reason[static PROBE_REASON_SIZE])
{
    const char *body = strstr(answer->data, "\r\n\r\n");
    if (body == NULL) {
        snprintf(reason, PROBE_REASON_SIZE, "what answers there is no FastCGI service");
        return PROBE_OTHER;
    }
    body += strlen("\r\n\r\n");
    bool is_good = strncmp(body, "ok\n", strlen("ok\n")) == 0;
    body += is_good ? strlen("ok\n") : 0;
    snprintf(reason, PROBE_REASON_SIZE, "%.*s", (int)strcspn(body, "\n"), body);
    return is_good ? PROBE_GOOD : PROBE_UNWELL;
}

static enum probe_outcome explain(int error, char reason[static PROBE_REASON_SIZE])
{
    snprintf(reason, PROBE_REASON_SIZE, "%s", strerror(error));
    return error == EACCES || error == EPERM ? PROBE_FORBIDDEN
           : error == EAGAIN                 ? PROBE_SILENT
                                             : PROBE_NOBODY;
}

static enum probe_outcome ask(int connection, const struct address *address,
                              char reason[static PROBE_REASON_SIZE])
{
    const struct timeval limit = {.tv_sec = SECONDS};
    struct buffer answer = {0};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(connection, (const void *)&address->socket, address->length) != 0)
        return explain(errno, reason);
    enum probe_outcome outcome = PROBE_SILENT;
    if (exchange(connection, &answer))
        outcome = judge(&answer, reason);
    else
        snprintf(reason, PROBE_REASON_SIZE, "it does not answer within %d s", SECONDS);
    buffer_free(&answer);
    return outcome;
}

enum probe_outcome probe_service(const char *listen, char reason[static PROBE_REASON_SIZE])
{
    struct address address;
    int connection = -1;
    if (address_parse(listen, &address) == STATUS_OK)
        connection = socket(address.socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0)
        return explain(EADDRNOTAVAIL, reason);
    enum probe_outcome outcome = ask(connection, &address, reason);
    close(connection);
    return outcome;
}
