/*
 * The load: so many keep-alive connections, each with one HTTP request on its way, for so many
 * seconds. One process with one thread, which costs the machine as little as a client can.
 *
 *   load PORT CONNECTIONS SECONDS FILE
 *
 * FILE holds the requests, each as its length, a line feed, and its bytes; they are sent in turn,
 * and again from the first. At the end what was asked for is waited for, so that nothing is left to
 * do for anybody. An answer is good if its status is 200 and its body says SUCCESS; it is refused
 * if its status is 503, and else has failed, of which the first is shown. The result is one line:
 * good answers, refused ones, failed ones, body bytes, seconds, the median and the 99th percentile
 * of the latencies of the good ones, and the longest time to a first byte, in microseconds.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS_MOST = 1024, HEAD_MOST = 8192, LATENCY_MOST = 10000000, TAIL = 5 };
enum { PATIENCE = 60000000 }; /* microseconds after the end */

struct request {
    const char *bytes;
    size_t length;
};

/* The head of an answer is kept; of the body only its size and its last bytes. */
struct connection {
    int descriptor;
    int64_t started;
    char head[HEAD_MOST + 1];
    size_t head_length;
    bool in_body;
    int status;
    bool says_success;
    bool closes;
    bool chunked;
    int64_t body_left;
    char tail[TAIL];
};

static struct {
    struct request *requests;
    size_t count, next;
    struct sockaddr_in address;
    int epoll, open;
    int64_t end;
    uint64_t good, refused, failed, bytes;
    int64_t slowest_first_byte;
} load;

static uint32_t latencies[LATENCY_MOST + 1];
static char buffer[262144];

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        die(path);
    *length = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*length + 1);
    if (bytes == NULL || fread(bytes, 1, *length, file) != *length)
        die(path);
    bytes[*length] = '\0';
    fclose(file);
    return bytes;
}

static void read_requests(const char *path)
{
    size_t length = 0, capacity = 0;
    char *at = read_file(path, &length);
    for (const char *end = at + length; at < end;) {
        if (load.count == capacity) {
            capacity = capacity == 0 ? 1024 : capacity * 2;
            load.requests = realloc(load.requests, capacity * sizeof *load.requests);
            if (load.requests == NULL)
                die("requests");
        }
        struct request *request = &load.requests[load.count++];
        request->length = strtoul(at, &at, 10);
        request->bytes = ++at;
        at += request->length;
    }
    if (load.count == 0) {
        fprintf(stderr, "%s: no requests\n", path);
        exit(1);
    }
}

static void send_next(struct connection *connection)
{
    const struct request *request = &load.requests[load.next++ % load.count];
    connection->started = now();
    connection->head_length = 0;
    connection->in_body = false;
    connection->says_success = false;
    /* A request is smaller than the socket's buffer, which is empty. */
    if (write(connection->descriptor, request->bytes, request->length) != (ssize_t)request->length)
        die("write");
}

static void open_connection(struct connection *connection)
{
    const int yes = 1;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    connection->descriptor = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection->descriptor, (struct sockaddr *)&load.address, sizeof load.address) != 0)
        die("connect");
    setsockopt(connection->descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    fcntl(connection->descriptor, F_SETFL, O_NONBLOCK);
    if (epoll_ctl(load.epoll, EPOLL_CTL_ADD, connection->descriptor, &event) != 0)
        die("epoll_ctl");
    load.open++;
    send_next(connection);
}

/* Takes the head apart, once it is there. */
static void read_head(struct connection *connection)
{
    const char *length = strcasestr(connection->head, "\r\nContent-Length:");
    connection->in_body = true;
    connection->status = atoi(connection->head + strlen("HTTP/1.1 "));
    connection->closes = strcasestr(connection->head, "\r\nConnection: close") != NULL;
    connection->chunked = strcasestr(connection->head, "\r\nTransfer-Encoding: chunked") != NULL;
    connection->body_left = length != NULL ? strtoll(length + 17, NULL, 10) : 0;
    memset(connection->tail, 0, TAIL);
    int64_t waited = now() - connection->started;
    if (waited > load.slowest_first_byte)
        load.slowest_first_byte = waited;
}

/* The bytes of a body that came with its head, or -1 while the head is incomplete. */
static ssize_t take_head(struct connection *connection, size_t length)
{
    size_t before = connection->head_length, room = HEAD_MOST - before;
    size_t kept = length < room ? length : room;
    memcpy(connection->head + before, buffer, kept);
    connection->head_length += kept;
    connection->head[connection->head_length] = '\0';
    char *end = strstr(connection->head, "\r\n\r\n");
    if (end == NULL)
        return -1;
    end[2] = '\0';
    read_head(connection);
    return (ssize_t)(before + length - (size_t)(end + 4 - connection->head));
}

/*
 * True at the end of the answer. The end of a chunked body is recognized by its last bytes, which
 * no XML of ours has inside, as each CR in it is a character reference.
 */
static bool take_body(struct connection *connection, const char *bytes, size_t length)
{
    load.bytes += length;
    if (length > 0 && !connection->says_success)
        connection->says_success = strstr(bytes, "<status>SUCCESS</status>") != NULL ||
                                   strstr(bytes, "\"status\":\"SUCCESS\"") != NULL;
    if (!connection->chunked)
        return (connection->body_left -= (int64_t)length) <= 0;
    char joined[2 * TAIL];
    size_t kept = length < TAIL ? length : TAIL;
    memcpy(joined, connection->tail, TAIL);
    memcpy(joined + TAIL, bytes + length - kept, kept);
    memcpy(connection->tail, joined + kept, TAIL);
    return memcmp(connection->tail, "0\r\n\r\n", TAIL) == 0;
}

static void count_answer(const struct connection *connection)
{
    int64_t latency = now() - connection->started;
    if (connection->in_body && connection->status == 503) {
        load.refused++;
    } else if (connection->in_body && connection->status == 200 && connection->says_success) {
        load.good++;
        latencies[latency < LATENCY_MOST ? latency : LATENCY_MOST]++;
    } else if (load.failed++ == 0) {
        fprintf(stderr, "%s\n", connection->in_body ? connection->head : "no answer");
    }
}

static void finish(struct connection *connection, bool closes)
{
    count_answer(connection);
    bool goes_on = now() < load.end;
    if (goes_on && !closes) {
        send_next(connection);
        return;
    }
    close(connection->descriptor);
    load.open--;
    if (goes_on)
        open_connection(connection);
}

static void serve(struct connection *connection)
{
    ssize_t length = read(connection->descriptor, buffer, sizeof buffer - 1);
    if (length < 0 && errno == EAGAIN)
        return;
    if (length <= 0) {
        connection->in_body = false;
        finish(connection, true);
        return;
    }
    buffer[length] = '\0';
    ssize_t body = connection->in_body ? length : take_head(connection, (size_t)length);
    if (body >= 0 && take_body(connection, buffer + length - body, (size_t)body))
        finish(connection, connection->closes);
}

static long percentile(double part)
{
    uint64_t seen = 0, wanted = (uint64_t)((double)load.good * part);
    for (long i = 0; i <= LATENCY_MOST; i++)
        if ((seen += latencies[i]) > wanted)
            return i;
    return 0;
}

int main(int argc, char **argv)
{
    static struct connection connections[CONNECTIONS_MOST];
    int count = argc == 5 ? atoi(argv[2]) : 0;
    if (count < 1 || count > CONNECTIONS_MOST) {
        fputs("usage: load PORT CONNECTIONS SECONDS FILE\n", stderr);
        return 64;
    }
    read_requests(argv[4]);
    load.epoll = epoll_create1(0);
    load.address = (struct sockaddr_in){.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)atoi(argv[1])),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int64_t start = now();
    load.end = start + (int64_t)(atof(argv[3]) * 1000000);
    for (int i = 0; i < count; i++)
        open_connection(&connections[i]);
    while (load.open > 0 && now() < load.end + PATIENCE) {
        struct epoll_event events[64];
        int ready = epoll_wait(load.epoll, events, 64, 100);
        for (int i = 0; i < ready; i++)
            serve(events[i].data.ptr);
    }
    printf("%llu %llu %llu %llu %.6f %ld %ld %lld\n", (unsigned long long)load.good,
           (unsigned long long)load.refused, (unsigned long long)load.failed + (unsigned)load.open,
           (unsigned long long)load.bytes, (double)(now() - start) / 1e6, percentile(0.50),
           percentile(0.99), (long long)load.slowest_first_byte);
    return 0;
}
