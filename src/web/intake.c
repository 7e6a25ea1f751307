#include "web/intake.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/log.h"

/* Section 8 of the specification. */
enum { FASTCGI_VERSION = 1, BEGIN_REQUEST = 1, PARAMS = 4, STDIN = 5, RESPONDER = 1 };
enum { HEADER_SIZE = 8, BEGIN_SIZE = 8 };
/* Of which a record takes 65,798 at most. */
enum { RECEIVED_MOST = 131072, KEPT_MEMORY = 65536 };

enum { PHASE_BEGIN, PHASE_VARIABLES, PHASE_BODY, PHASE_DONE };

struct record {
    unsigned int type, request_id;
    const unsigned char *content;
    size_t length;
    size_t size; /* with its header and padding */
};

static unsigned int two_bytes(const unsigned char *at)
{
    return (unsigned int)at[0] << 8 | at[1];
}

/* Variables -------------------------------------------------------------------------------------
 */

/* A length is a byte, or four of which the first has its highest bit set: section 3.4. */
static bool take_length(const unsigned char **at, const unsigned char *end, size_t *length)
{
    if (*at == end)
        return false;
    bool is_long = **at >= 0x80;
    if (is_long && end - *at < 4)
        return false;
    *length = is_long ? (size_t)(two_bytes(*at) & 0x7fff) << 16 | two_bytes(*at + 2) : **at;
    *at += is_long ? 4 : 1;
    return true;
}

static bool is_pair(const unsigned char *name, size_t name_length, size_t value_length)
{
    return memchr(name, '\0', name_length + value_length) == NULL &&
           memchr(name, '=', name_length) == NULL;
}

static unsigned char *put(unsigned char *to, const unsigned char *from, size_t length,
                          unsigned char end)
{
    memmove(to, from, length);
    to[length] = end;
    return to + length + 1;
}

/* Makes "name=value" texts of the pairs, where they are: the two lengths before each take as much
 * as what is put between and after, or more. */
static bool unpack_pairs(struct buffer *variables)
{
    unsigned char *const start = (unsigned char *)variables->data, *to = start;
    const unsigned char *at = start, *end = variables->length > 0 ? at + variables->length : at;
    while (at < end) {
        size_t name = 0, value = 0;
        if (!take_length(&at, end, &name) || !take_length(&at, end, &value) ||
            name + value > (size_t)(end - at) || !is_pair(at, name, value))
            return false;
        to = put(to, at, name, '=');
        to = put(to, at + name, value, '\0');
        at += name + value;
    }
    variables->length = (size_t)(to - start);
    return true;
}

/* Records ---------------------------------------------------------------------------------------
 */

static enum status take_begin(struct intake *intake, const struct record *record)
{
    if (record->type != BEGIN_REQUEST || record->length != BEGIN_SIZE || record->request_id == 0 ||
        two_bytes(record->content) != RESPONDER)
        return STATUS_MALFORMED_REQUEST;
    intake->request_id = record->request_id;
    intake->phase = PHASE_VARIABLES;
    return STATUS_OK;
}

static enum status take_variables(struct intake *intake, const struct record *record)
{
    if (record->type != PARAMS || record->request_id != intake->request_id)
        return STATUS_MALFORMED_REQUEST;
    if (record->length > INTAKE_VARIABLES_MOST - intake->variables.length)
        return STATUS_REQUEST_TOO_LARGE;
    buffer_add(&intake->variables, record->content, record->length);
    if (record->length > 0)
        return STATUS_OK;
    if (!unpack_pairs(&intake->variables))
        return STATUS_MALFORMED_REQUEST;
    intake->phase = PHASE_BODY;
    return STATUS_OK;
}

static enum status take_body(struct intake *intake, const struct record *record)
{
    size_t room = INTAKE_BODY_MOST - intake->body.length;
    if (record->type != STDIN || record->request_id != intake->request_id)
        return STATUS_MALFORMED_REQUEST;
    buffer_add(&intake->body, record->content, record->length < room ? record->length : room);
    intake->body_length += record->length;
    if (record->length > 0)
        return STATUS_OK;
    buffer_add(&intake->body, "", 1);
    intake->body.length--;
    intake->phase = PHASE_DONE;
    return STATUS_OK;
}

typedef enum status take_function(struct intake *intake, const struct record *record);

static take_function *const take[] = {
    [PHASE_BEGIN] = take_begin,
    [PHASE_VARIABLES] = take_variables,
    [PHASE_BODY] = take_body,
};

/* The next record, if all of it is there; what is none has type 0, and no length to wait for. */
static bool next_record(const struct intake *intake, struct record *record)
{
    size_t left = intake->received.length - intake->taken;
    if (left < HEADER_SIZE)
        return false;
    const unsigned char *header = (const unsigned char *)intake->received.data + intake->taken;
    *record = (struct record){.size = HEADER_SIZE};
    if (header[0] != FASTCGI_VERSION)
        return true;
    record->type = header[1];
    record->request_id = two_bytes(header + 2);
    record->content = header + HEADER_SIZE;
    record->length = two_bytes(header + 4);
    record->size += record->length + header[6];
    return record->size <= left;
}

static enum status take_records(struct intake *intake)
{
    struct record record;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && intake->phase != PHASE_DONE && next_record(intake, &record)) {
        status = take[intake->phase](intake, &record);
        intake->taken += record.size;
    }
    return status;
}

/* Reading ---------------------------------------------------------------------------------------
 */

static void drop_taken(struct intake *intake)
{
    struct buffer *received = &intake->received;
    received->length -= intake->taken;
    if (received->length > 0)
        memmove(received->data, received->data + intake->taken, received->length);
    intake->taken = 0;
}

/* What is left of the last time is less than a record, so there is always room. */
static enum status receive(struct intake *intake, int connection)
{
    ssize_t got;
    drop_taken(intake);
    size_t room = RECEIVED_MOST - intake->received.length;
    char *to = buffer_room(&intake->received, room);
    do
        got = recv(connection, to, room, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN)
        return STATUS_OK;
    if (got <= 0)
        return STATUS_UNAVAILABLE;
    intake->received.length += (size_t)got;
    return STATUS_OK;
}

static void complain(const struct intake *intake, enum status status)
{
    static const char *const places[] = {
        [PHASE_BEGIN] = "at its begin",
        [PHASE_VARIABLES] = "in its variables",
        [PHASE_BODY] = "in its body",
    };
    const char *reason = "no request to a responder";
    if (status == STATUS_REQUEST_TOO_LARGE)
        reason = "more than a request may have";
    if (status == STATUS_UNAVAILABLE)
        reason = "cut short";
    log_warning("fastcgi: a connection is closed without an answer: %s, %s", reason,
                places[intake->phase]);
}

enum status intake_read(struct intake *intake, int connection)
{
    enum status status = receive(intake, connection);
    if (status == STATUS_OK)
        status = take_records(intake);
    if (status != STATUS_OK)
        complain(intake, status);
    return status;
}

bool intake_is_empty(const struct intake *intake)
{
    return intake->phase == PHASE_BEGIN && intake->received.length == 0;
}

bool intake_is_whole(const struct intake *intake)
{
    return intake->phase == PHASE_DONE;
}

/* From one process to another -------------------------------------------------------------------
 */

enum { BUFFERS = 3 };

static size_t list_buffers(struct intake *intake, struct buffer *buffers[BUFFERS])
{
    buffers[0] = &intake->variables;
    buffers[1] = &intake->body;
    buffers[2] = &intake->received;
    size_t length = 0;
    for (size_t i = 0; i < BUFFERS; i++)
        length += buffers[i]->length;
    return length;
}

/* The structure, whose pointers mean nothing to who reads it, and then the bytes of its buffers. */
int intake_save(const struct intake *intake)
{
    struct intake copy = *intake;
    struct buffer *buffers[BUFFERS];
    size_t length = list_buffers(&copy, buffers);
    struct iovec pieces[1 + BUFFERS] = {{&copy, sizeof copy}};
    for (size_t i = 0; i < BUFFERS; i++)
        pieces[1 + i] = (struct iovec){buffers[i]->data, buffers[i]->length};
    int file = memfd_create("request", MFD_CLOEXEC);
    if (file >= 0 && writev(file, pieces, 1 + BUFFERS) == (ssize_t)(sizeof copy + length) &&
        lseek(file, 0, SEEK_SET) == 0)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

bool intake_load(struct intake *intake, int file)
{
    struct intake loaded;
    struct buffer *buffers[BUFFERS];
    intake_free(intake);
    if (read(file, &loaded, sizeof loaded) != sizeof loaded)
        return false;
    bool whole = true;
    (void)list_buffers(&loaded, buffers);
    for (size_t i = 0; i < BUFFERS; i++) {
        size_t length = buffers[i]->length;
        *buffers[i] = (struct buffer){0};
        char *bytes = buffer_room(buffers[i], length + 1);
        whole = whole && read(file, bytes, length) == (ssize_t)length;
        bytes[length] = '\0';
        buffers[i]->length = length;
    }
    *intake = loaded;
    if (!whole)
        intake_free(intake);
    return whole;
}

size_t intake_size(const struct intake *intake)
{
    return intake->variables.length + intake->body.length + intake->received.length;
}

void intake_reset(struct intake *intake)
{
    struct intake empty = {
        .variables = intake->variables, .body = intake->body, .received = intake->received};
    buffer_reset(&empty.variables, KEPT_MEMORY);
    buffer_reset(&empty.body, KEPT_MEMORY);
    buffer_reset(&empty.received, RECEIVED_MOST);
    *intake = empty;
}

void intake_free(struct intake *intake)
{
    buffer_free(&intake->variables);
    buffer_free(&intake->body);
    buffer_free(&intake->received);
    *intake = (struct intake){0};
}
