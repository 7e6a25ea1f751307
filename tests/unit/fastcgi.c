#include "fastcgi.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

/* Section 8 of the specification: types of records, and the role of a responder. */
enum { BEGIN_REQUEST = 1, END_REQUEST = 3, PARAMS = 4, STDIN = 5, STDOUT = 6, RESPONDER = 1 };
enum { HEADER_SIZE = 8, CONTENT_MOST = 65535 };

static struct responder responder;
static bool is_open;
static struct input input;
static struct buffer sent;
static struct buffer received;
static bool leaves;
static int socket_of_web_server;
static pthread_t web_server;

static atomic_llong spool_most = SPOOL_MOST, spooled, spooled_by_us;
static atomic_bool spool_full;
const struct spool fastcgi_spool = {"/tmp", &spool_most, &spooled, &spooled_by_us, &spool_full};

static void add_byte(struct buffer *buffer, size_t byte)
{
    char c = (char)(byte & 0xff);
    buffer_add(buffer, &c, 1);
}

static void add_record(int type, const void *content, size_t length)
{
    const size_t header[HEADER_SIZE] = {1, (size_t)type, 0, 1, length >> 8, length, 0, 0};
    for (size_t i = 0; i < HEADER_SIZE; i++)
        add_byte(&sent, header[i]);
    buffer_add(&sent, content, length);
}

/* A stream ends with an empty record. */
static void add_stream(int type, const char *content, size_t length)
{
    while (length > 0) {
        size_t part = length > CONTENT_MOST ? CONTENT_MOST : length;
        add_record(type, content, part);
        content += part;
        length -= part;
    }
    add_record(type, NULL, 0);
}

static void add_length(struct buffer *buffer, size_t length)
{
    if (length > 127) {
        add_byte(buffer, length >> 24 | 0x80);
        add_byte(buffer, length >> 16);
        add_byte(buffer, length >> 8);
    }
    add_byte(buffer, length);
}

static void add_variables(const char *const *variables)
{
    struct buffer pairs = {0};
    for (; *variables != NULL; variables++) {
        size_t name = strcspn(*variables, "=");
        const char *value = *variables + name + 1;
        add_length(&pairs, name);
        add_length(&pairs, strlen(value));
        buffer_add(&pairs, *variables, name);
        buffer_add_text(&pairs, value);
    }
    add_stream(PARAMS, pairs.data, pairs.length);
    buffer_free(&pairs);
}

static void *serve(void *unused)
{
    (void)unused;
    for (size_t at = 0; at < sent.length;) {
        ssize_t wrote = write(socket_of_web_server, sent.data + at, sent.length - at);
        if (wrote <= 0)
            break;
        at += (size_t)wrote;
    }
    if (!leaves) {
        ssize_t got;
        shutdown(socket_of_web_server, SHUT_WR);
        while ((got = read(socket_of_web_server, buffer_room(&received, 65536), 65536)) > 0)
            received.length += (size_t)got;
    }
    close(socket_of_web_server);
    return NULL;
}

static void read_input(int connection)
{
    const struct input_options options = {&fastcgi_spool, SPOOL_MOST};
    while (!input_is_whole(&input))
        assert_int_equal(input_read(&input, connection, &options), STATUS_OK);
}

struct responder *fastcgi_begin(const struct conversation *conversation)
{
    static const char begin[HEADER_SIZE] = {0, RESPONDER};
    int sockets[2];
    sent.length = received.length = 0;
    leaves = conversation->leaves;
    add_record(BEGIN_REQUEST, begin, sizeof begin);
    add_variables(conversation->variables);
    add_stream(STDIN, conversation->body, conversation->body_length);

    if (!is_open)
        is_open = responder_open(&responder, &fastcgi_spool);
    assert_true(is_open);
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    socket_of_web_server = sockets[0];
    assert_int_equal(pthread_create(&web_server, NULL, serve, NULL), 0);
    read_input(sockets[1]);
    if (leaves)
        pthread_join(web_server, NULL);
    assert_true(responder_begin(&responder, &input, sockets[1]));
    return &responder;
}

struct responder *fastcgi_begin_again(void)
{
    int connection = responder.output.connection;
    responder_give_back(&responder);
    assert_true(responder_begin(&responder, &input, connection));
    return &responder;
}

static size_t byte_at(size_t place)
{
    return (unsigned char)received.data[place];
}

static void take_record(struct taken *taken, size_t place, size_t length)
{
    size_t type = byte_at(place + 1);
    assert_true(place + HEADER_SIZE + length <= received.length);
    assert_true(type == STDOUT || type == END_REQUEST);
    if (type == STDOUT)
        buffer_add(&taken->output, received.data + place + HEADER_SIZE, length);
    else
        taken->ended = true;
}

/* As the process does that waits for web servers. */
static void send_rest(struct output *output)
{
    struct pollfd room = {.fd = output->connection, .events = POLLOUT};
    while (output_left(output) > 0) {
        assert_int_equal(poll(&room, 1, 10000), 1);
        assert_int_equal(output_send(output, &fastcgi_spool), STATUS_OK);
    }
    output_close(output, &fastcgi_spool);
}

struct taken fastcgi_end(void)
{
    struct taken taken = {0};
    if (!responder_end(&responder))
        send_rest(&responder.output);
    input_free(&input, &fastcgi_spool);
    if (!leaves)
        pthread_join(web_server, NULL);
    for (size_t place = 0; place + HEADER_SIZE <= received.length && byte_at(place) != 0;) {
        size_t length = byte_at(place + 4) << 8 | byte_at(place + 5);
        take_record(&taken, place, length);
        place += HEADER_SIZE + length + byte_at(place + 6);
    }
    buffer_add(&taken.output, "", 1);
    taken.output.length--;
    buffer_free(&sent);
    buffer_free(&received);
    return taken;
}
