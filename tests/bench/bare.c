/*
 * The least that a FastCGI program can do for a read: it sends the statements on with the number
 * that the request asks for, and answers with the bytes of a file, whatever comes back. It reads no
 * form, checks nothing, makes no XML. What a worker takes beyond it is the service's own; what is
 * taken here is the system's, libpq's and the design's.
 *
 * A process serves as many requests at once as it has connections to PostgreSQL: with one, as a
 * worker of the service does, one after the other; with several, whichever has something to do.
 * With none told it serves one after the other, too, and libfcgi takes them and writes the answers.
 */
#include <fcgiapp.h>
#include <libpq-fe.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "find_statement.h"

enum { CONNECTIONS_MOST = 64, STATEMENTS_MOST = 8, ANSWER_MOST = 65535, EVENTS = 64 };
enum { STDOUT = 6, END_REQUEST = 3 }; /* FastCGI specification, section 8 */

struct slot {
    PGconn *database;
    int client;
    unsigned char id[2];
};

static struct slot slots[CONNECTIONS_MOST];
static int idle[CONNECTIONS_MOST], idle_count;
static const struct db_statement *statements[STATEMENTS_MOST];
static int parameter_counts[STATEMENTS_MOST];
static int statement_count;
static char answer[ANSWER_MOST];
static size_t answer_length;
static int listener;
/* A listener that nobody can serve must not wake anybody: all, and all but the listener. */
static int everything, databases;

static void fail(const char *what)
{
    fprintf(stderr, "bare: %s\n", what);
    exit(EXIT_FAILURE);
}

static PGconn *connect_database(const char *conninfo)
{
    PGconn *database = PQconnectdb(conninfo);
    if (PQstatus(database) != CONNECTION_OK)
        fail(PQerrorMessage(database));
    for (int i = 0; i < statement_count; i++) {
        PGresult *result = PQprepare(database, statements[i]->name, statements[i]->sql, 0, NULL);
        if (PQresultStatus(result) != PGRES_COMMAND_OK)
            fail(PQresultErrorMessage(result));
        PQclear(result);
        result = PQdescribePrepared(database, statements[i]->name);
        parameter_counts[i] = PQnparams(result);
        PQclear(result);
    }
    if (PQsetnonblocking(database, 1) != 0 || !PQenterPipelineMode(database))
        fail(PQerrorMessage(database));
    return database;
}

static void watch(int epoll, int descriptor, uint32_t events, uint32_t slot)
{
    struct epoll_event event = {.events = events, .data.u32 = slot};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0)
        fail("epoll_ctl");
}

/* A record's header and its content. */
static char *put_record(char *at, char type, const unsigned char id[static 2], const void *content,
                        size_t length)
{
    const char header[8] = {1, type, (char)id[0], (char)id[1], (char)(length >> 8), (char)length};
    return mempcpy(mempcpy(at, header, sizeof header), content, length);
}

static void send_answer(struct slot *slot)
{
    static char out[ANSWER_MOST + 64];
    static const char complete[8] = {0};
    char *end = put_record(out, STDOUT, slot->id, answer, answer_length);
    end = put_record(end, STDOUT, slot->id, "", 0);
    end = put_record(end, END_REQUEST, slot->id, complete, sizeof complete);
    /* Where the client is gone, so is its answer. */
    (void)send(slot->client, out, (size_t)(end - out), MSG_NOSIGNAL);
    close(slot->client);
    idle[idle_count++] = (int)(slot - slots);
}

/* The number after the first "ID=", which ends where the next variable begins. */
static void send_statements(PGconn *database, const char *request, size_t length)
{
    char number[24] = "";
    const char *const values[8] = {number}; /* who reads is nobody: NULL */
    const char *end = request + length, *at = memmem(request, length, "ID=", 3);
    if (at == NULL)
        fail("a request without a number");
    at += 3;
    for (size_t i = 0; i < sizeof number - 1 && at < end && *at >= '0' && *at <= '9'; i++)
        number[i] = *at++;
    for (int i = 0; i < statement_count; i++)
        PQsendQueryPrepared(database, statements[i]->name, parameter_counts[i], values, NULL, NULL,
                            1);
    if (!PQpipelineSync(database) || PQflush(database) != 0)
        fail(PQerrorMessage(database));
}

static void take_request(void)
{
    char request[8192];
    int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0)
        return;
    ssize_t length = read(client, request, sizeof request);
    if (length < 16) { /* whoever only looks whether there is somebody */
        close(client);
        return;
    }
    struct slot *slot = &slots[idle[--idle_count]];
    slot->client = client;
    memcpy(slot->id, request + 2, sizeof slot->id);
    send_statements(slot->database, request, (size_t)length);
}

/* True once all results have come. */
static bool take_results(PGconn *database)
{
    if (!PQconsumeInput(database))
        fail(PQerrorMessage(database));
    /* NULL ends the results of a statement; twice, there is nothing under way. */
    for (int ends = 0; ends < 2 && !PQisBusy(database);) {
        PGresult *result = PQgetResult(database);
        ExecStatusType status = PQresultStatus(result);
        if (result != NULL && status != PGRES_TUPLES_OK && status != PGRES_PIPELINE_SYNC)
            fail(PQresultErrorMessage(result));
        PQclear(result);
        ends = result == NULL ? ends + 1 : 0;
        if (status == PGRES_PIPELINE_SYNC)
            return true;
    }
    return false;
}

static void serve_slot(struct slot *slot)
{
    if (take_results(slot->database))
        send_answer(slot);
}

static void serve_by_libfcgi(const char *conninfo)
{
    FCGX_Request request;
    PGconn *database = connect_database(conninfo);
    struct pollfd server = {.fd = PQsocket(database), .events = POLLIN};
    /* Else it would wait for the web server to close a connection first. */
    setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "0", 1);
    if (FCGX_Init() != 0 || FCGX_InitRequest(&request, listener, 0) != 0)
        fail("libfcgi");
    while (FCGX_Accept_r(&request) == 0) {
        const char *query = FCGX_GetParam("QUERY_STRING", request.envp);
        send_statements(database, query, strlen(query));
        do
            poll(&server, 1, -1);
        while (!take_results(database));
        FCGX_PutStr(answer, (int)answer_length, request.out);
        FCGX_Finish_r(&request);
    }
}

static void serve(const char *conninfo, int connections)
{
    everything = epoll_create1(0);
    databases = epoll_create1(0);
    for (int i = 0; i < connections; i++) {
        slots[i].database = connect_database(conninfo);
        watch(everything, PQsocket(slots[i].database), EPOLLIN, (uint32_t)i);
        watch(databases, PQsocket(slots[i].database), EPOLLIN, (uint32_t)i);
        idle[idle_count++] = i;
    }
    watch(everything, listener, EPOLLIN | EPOLLEXCLUSIVE, CONNECTIONS_MOST);
    for (;;) {
        struct epoll_event events[EVENTS];
        bool asked = false;
        int count = epoll_wait(idle_count > 0 ? everything : databases, events, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.u32 == CONNECTIONS_MOST)
                asked = true;
            else
                serve_slot(&slots[events[i].data.u32]);
        }
        if (asked && idle_count > 0)
            take_request();
    }
}

static void read_answer(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail(path);
    answer_length = fread(answer, 1, sizeof answer, file);
    fclose(file);
}

static void open_listener(const char *path, bool by_libfcgi)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        fail(path);
    strcpy(address.sun_path, path);
    unlink(path);
    listener = socket(AF_UNIX, SOCK_STREAM | (by_libfcgi ? 0 : SOCK_NONBLOCK), 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        chmod(path, 0666) != 0 || listen(listener, SOMAXCONN) != 0)
        fail(path);
}

static void become_worker(const char *conninfo, int connections)
{
    static const struct sched_param no_priority;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sched_setscheduler(0, SCHED_BATCH, &no_priority);
    if (connections == 0)
        serve_by_libfcgi(conninfo);
    else
        serve(conninfo, connections);
}

int main(int argc, char **argv)
{
    if (argc < 7 || argc > 6 + STATEMENTS_MOST)
        fail("usage: bare SOCKET CONNINFO ANSWER PROCESSES CONNECTIONS STATEMENT...");
    int processes = atoi(argv[4]), connections = atoi(argv[5]);
    if (connections < 0 || connections > CONNECTIONS_MOST)
        fail("too many connections");
    for (int i = 6; i < argc; i++) {
        statements[statement_count] = find_statement(argv[i]);
        if (statements[statement_count++] == NULL)
            fail(argv[i]);
    }
    read_answer(argv[3]);
    open_listener(argv[1], connections == 0);
    for (int i = 0; i < processes; i++) {
        pid_t pid = fork();
        if (pid < 0)
            fail("fork");
        if (pid == 0)
            become_worker(argv[2], connections);
    }
    (void)wait(NULL); /* whoever ends takes all others with it */
    return EXIT_FAILURE;
}
