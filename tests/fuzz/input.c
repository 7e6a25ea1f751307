/*
 * What a web server sends, or somebody else who can connect. What the input takes is a request like
 * any other, of which libfcgi makes what was sent.
 */
#include "fcgi/responder.h"

#include <signal.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "fuzz.h"
#include "http/body.h"
#include "http/request.h"

static atomic_llong most = 100000000, all, own;
static atomic_bool full;
static const struct spool spool = {"/tmp", &most, &all, &own, &full};

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

static char *add_text(struct buffer *out, const uint8_t **at, size_t length)
{
    size_t start = out->length;
    buffer_add(out, *at, length);
    buffer_add(out, "", 1);
    *at += length;
    return out->data + start;
}

/* The contents of all records of a stream. */
static void collect(struct buffer *content, uint8_t type, const uint8_t *data, size_t size)
{
    enum { HEADER = 8 };
    for (size_t at = 0; size - at >= HEADER;) {
        const uint8_t *header = data + at;
        size_t length = (size_t)(header[4] << 8 | header[5]);
        if (header[1] == type)
            buffer_add(content, header + HEADER, length);
        if (header[1] == type && length == 0)
            return;
        at += HEADER + length + header[6];
    }
}

/* Each pair that was sent is one of libfcgi's, in order; the first that it has is the role. */
static void require_variables(const struct responder *responder, const uint8_t *data, size_t size)
{
    enum { PARAMS = 4 };
    struct buffer pairs = {0};
    collect(&pairs, PARAMS, data, size);
    const uint8_t *at = (const uint8_t *)pairs.data;
    char **variable = responder->fastcgi.envp;
    REQUIRE(strcmp(*variable++, "FCGI_ROLE=RESPONDER") == 0);
    for (size_t left = pairs.length; left > 0; variable++) {
        struct buffer name = {0}, value = {0};
        const uint8_t *start = at;
        size_t name_length = next_length(&at), value_length = next_length(&at);
        add_text(&name, &at, name_length);
        add_text(&value, &at, value_length);
        REQUIRE(*variable != NULL);
        REQUIRE(strncmp(*variable, name.data, name_length) == 0);
        REQUIRE((*variable)[name_length] == '=');
        REQUIRE(strcmp(*variable + name_length + 1, value.data) == 0);
        left -= (size_t)(at - start);
        buffer_free(&name);
        buffer_free(&value);
    }
    REQUIRE(*variable == NULL);
    buffer_free(&pairs);
}

static bool is_urlencoded(const struct request *request)
{
    static const char type[] = "application/x-www-form-urlencoded";
    return request->content_type != NULL &&
           strncasecmp(request->content_type, type, strlen(type)) == 0;
}

/* The parameters of the body are those that stand in what was sent. */
static void require_body(const struct request *request, const struct form *form,
                         const uint8_t *data, size_t size, struct arena *arena)
{
    enum { STDIN = 5 };
    struct buffer body = {0};
    collect(&body, STDIN, data, size);
    REQUIRE(request->body_length == body.length);
    if (body.length > 0 && is_urlencoded(request)) {
        struct form again = *form;
        again.count = form->in_address;
        again.status = STATUS_OK;
        form_decode(&again, body.data, body.length, arena);
        REQUIRE(form->status != STATUS_OK || again.status == STATUS_OK);
        REQUIRE(form->status != STATUS_OK || again.count == form->count);
    }
    buffer_free(&body);
}

static int new_file(const void *context)
{
    (void)context;
    return memfd_create("file", MFD_CLOEXEC);
}

enum { FILE_MOST = 100000 };

static const struct upload_place files = {new_file, NULL, FILE_MOST};

static void require_request(struct input *input, const uint8_t *data, size_t size)
{
    static struct responder responder;
    static struct buffer texts;
    static bool is_open;
    struct arena *arena = arena_new();
    const struct body_means means = {arena, &texts, &files};
    struct form form = {0};
    struct request request;
    int ends[2];
    is_open = is_open || responder_open(&responder, &spool);
    signal(SIGPIPE, SIG_IGN);
    REQUIRE(is_open && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    REQUIRE(responder_begin(&responder, input, ends[0]));
    require_variables(&responder, data, size);
    enum status status = request_read(&responder, &means, &request, &form);
    REQUIRE(status != STATUS_INTERNAL && form.status != STATUS_INTERNAL);
    REQUIRE(request.identifier != NULL);
    if (status == STATUS_OK)
        require_body(&request, &form, data, size, arena);
    REQUIRE(responder_end(&responder));
    close(ends[1]);
    form_close(&form);
    arena_free(&arena);
}

/* Sends the bytes as fast as they are taken, and then no more. */
static enum status take(struct input *input, const uint8_t *bytes, size_t size)
{
    const struct input_options options = {&spool, body_most(FILE_MOST)};
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    input_reset(input, &spool);
    enum status status = STATUS_OK;
    for (size_t sent = 0; status == STATUS_OK && !input_is_whole(input);) {
        ssize_t more = send(ends[0], bytes + sent, size - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        sent += more > 0 ? (size_t)more : 0;
        if (sent == size)
            shutdown(ends[0], SHUT_WR);
        status = input_read(input, ends[1], &options);
    }
    close(ends[0]);
    close(ends[1]);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct input input;
    log_set_level((enum log_level)0); /* nothing */
    if (take(&input, data, size) == STATUS_OK)
        require_request(&input, data, size);
    input_reset(&input, &spool);
    REQUIRE(atomic_load(&all) == 0);
    return 0;
}
