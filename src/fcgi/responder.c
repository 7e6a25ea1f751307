#include "fcgi/responder.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

static bool open_memory(struct responder *responder)
{
    responder->memory = memfd_create("request", MFD_CLOEXEC);
    responder->memory_size = 0;
    if (responder->memory < 0)
        log_error("memfd: %s", strerror(errno));
    return responder->memory >= 0;
}

/* Where libfcgi closes a connection itself, which is where writing failed, it would wait for the
 * web server to do so first. */
bool responder_open(struct responder *responder)
{
    setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "0", 0);
    responder->memory = -1;
    if (FCGX_Init() == 0 &&
        FCGX_InitRequest(&responder->fastcgi, -1, FCGI_FAIL_ACCEPT_ON_INTR) == 0)
        return open_memory(responder);
    log_error("fastcgi: libfcgi does not start");
    return false;
}

/* Nothing of the request before may be behind this one. */
static bool fill_memory(struct responder *responder, const struct buffer *records)
{
    size_t before = responder->memory_size;
    if (responder->memory < 0 && !open_memory(responder))
        return false;
    responder->memory_size = records->length;
    if (pwrite(responder->memory, records->data, records->length, 0) == (ssize_t)records->length &&
        (records->length >= before || ftruncate(responder->memory, (off_t)records->length) == 0))
        return true;
    log_error("memfd: %s", strerror(errno));
    return false;
}

/* The file that has the records from its start; -1 where there is none. */
static int file_of(struct responder *responder, const struct input *input)
{
    if (!input->file.is_open && !fill_memory(responder, &input->records))
        return -1;
    int file = input->file.is_open ? input->file.descriptor : responder->memory;
    return lseek(file, 0, SEEK_SET) == 0 ? file : -1;
}

/* libfcgi closes what it could not read. */
static bool fail(struct responder *responder, struct input *input)
{
    log_error("fastcgi: libfcgi does not take a request");
    if (input->file.is_open)
        input->file.descriptor = -1;
    else
        responder->memory = -1;
    return false;
}

/*
 * FCGX_Accept_r() reads a request from a descriptor, after an accept of its own that has no time
 * limit and ignores signals. So it gets the descriptor of a file with the records, through fields
 * that its header calls private; here alone. With keepConnection set libfcgi closes neither that
 * nor the connection, which takes the file's place for the answer: a request that was read to its
 * end has nothing more to come that could reset the connection under the answer, so a plain
 * close(2) does. On an error it closes what it has, all the same, and tries to accept on its
 * listening socket, -1, which fails. It answers 0 for a request that ends within its variables,
 * too, and FCGX_GetError() alone tells.
 */
bool responder_begin(struct responder *responder, struct input *input, int connection)
{
    FCGX_Request *fastcgi = &responder->fastcgi;
    int file = file_of(responder, input);
    if (file < 0)
        return false;
    fastcgi->ipcFd = file;
    fastcgi->keepConnection = 1;
    if (FCGX_Accept_r(fastcgi) != 0)
        return fail(responder, input);
    fastcgi->keepConnection = 1;
    fastcgi->appStatus = 0;
    responder->connection = connection;
    responder->body_length = input->body_length;
    if (FCGX_GetError(fastcgi->in) == 0)
        return true;
    fastcgi->ipcFd = -1;
    FCGX_Free(fastcgi, 0);
    log_error("fastcgi: libfcgi does not find a request's variables");
    return false;
}

const char *responder_variable(const struct responder *responder, const char *name)
{
    return FCGX_GetParam(name, responder->fastcgi.envp);
}

size_t responder_read(struct responder *responder, char *to, size_t length)
{
    size_t most = length < INT_MAX ? length : INT_MAX;
    int got = FCGX_GetStr(to, (int)most, responder->fastcgi.in);
    return got > 0 ? (size_t)got : 0;
}

bool responder_turn(struct responder *responder)
{
    FCGX_Request *fastcgi = &responder->fastcgi;
    char dropped[4096];
    while (responder_read(responder, dropped, sizeof dropped) > 0)
        continue;
    fastcgi->ipcFd = responder->connection;
    if (FCGX_GetError(fastcgi->in) == 0)
        return true;
    log_error("fastcgi: libfcgi does not find the end of a request");
    return false;
}

bool responder_write(struct responder *responder, const char *bytes, size_t length)
{
    for (size_t sent = 0; sent < length;) {
        int part = length - sent > INT_MAX ? INT_MAX : (int)(length - sent);
        if (FCGX_PutStr(bytes + sent, part, responder->fastcgi.out) != part)
            return false;
        sent += (size_t)part;
    }
    return true;
}

void responder_end(struct responder *responder)
{
    FCGX_Request *fastcgi = &responder->fastcgi;
    FCGX_Finish_r(fastcgi);
    if (fastcgi->ipcFd >= 0)
        close(fastcgi->ipcFd);
    fastcgi->ipcFd = -1;
}

/*
 * To nginx, a connection that just closes has come to its end, with or without END_REQUEST; a
 * record of a version that does not exist (FastCGI specification, section 3.3) is an error to every
 * web server, which then cuts its client off. libfcgi sends records whole, so this one starts where
 * one may.
 */
void responder_break(struct responder *responder)
{
    static const unsigned char no_record[8] = {0};
    (void)send(responder->connection, no_record, sizeof no_record, MSG_NOSIGNAL);
    shutdown(responder->connection, SHUT_RDWR);
}

void responder_close(struct responder *responder)
{
    FCGX_Free(&responder->fastcgi, 1);
    if (responder->memory >= 0)
        close(responder->memory);
    responder->memory = -1;
}
