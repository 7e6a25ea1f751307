#include "pool/responder.h"

#include <errno.h>
#include <fastcgi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"

/* Where libfcgi closes a connection itself, which is where writing failed, it would wait for the
 * web server to do so first. */
bool responder_open(struct responder *responder)
{
    responder->opening = -1;
    setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "0", 0);
    if (FCGX_Init() == 0 &&
        FCGX_InitRequest(&responder->fastcgi, -1, FCGI_FAIL_ACCEPT_ON_INTR) == 0)
        return true;
    log_error("fastcgi: libfcgi does not start");
    return false;
}

static void forget_opening(struct responder *responder)
{
    if (responder->opening >= 0)
        close(responder->opening);
    responder->opening = -1;
}

/* The begin of a request to a responder, and the end of its variables: FastCGI specification,
 * sections 5.1 and 5.2. Web servers number all requests alike, so one file serves many. */
static bool write_opening(struct responder *responder, unsigned int request_id)
{
    const unsigned char high = (unsigned char)(request_id >> 8), low = (unsigned char)request_id;
    const struct {
        FCGI_BeginRequestRecord begin;
        FCGI_Header no_variables;
    } opening = {
        .begin.header = {.version = FCGI_VERSION_1,
                         .type = FCGI_BEGIN_REQUEST,
                         .requestIdB1 = high,
                         .requestIdB0 = low,
                         .contentLengthB0 = sizeof(FCGI_BeginRequestBody)},
        .begin.body.roleB0 = FCGI_RESPONDER,
        .no_variables = {.version = FCGI_VERSION_1,
                         .type = FCGI_PARAMS,
                         .requestIdB1 = high,
                         .requestIdB0 = low},
    };
    forget_opening(responder);
    int file = memfd_create("opening", MFD_CLOEXEC);
    if (file < 0 || write(file, &opening, sizeof opening) != sizeof opening) {
        log_error("memfd: %s", strerror(errno));
        if (file >= 0)
            close(file);
        return false;
    }
    responder->opening = file;
    responder->request_id = request_id;
    return true;
}

/* Has it read from its start. */
static bool rewind_opening(struct responder *responder, unsigned int request_id)
{
    bool is_there = responder->opening >= 0 && responder->request_id == request_id;
    if (!is_there && !write_opening(responder, request_id))
        return false;
    if (lseek(responder->opening, 0, SEEK_SET) == 0)
        return true;
    log_error("memfd: lseek: %s", strerror(errno));
    return false;
}

/*
 * FCGX_Accept_r() reads a request's opening from a descriptor, after an accept of its own that has
 * no time limit and ignores signals. So it gets a descriptor, of a file that holds the least there
 * can be, through fields that its header calls private; here alone. Then the connection takes the
 * file's place, for the answer. With keepConnection set libfcgi closes neither: a request that was
 * read to its end has nothing more to come that could reset the connection under the answer, so a
 * plain close(2) does. On an error it closes what it has, all the same, and tries to accept on its
 * listening socket, -1, which fails.
 */
bool responder_begin(struct responder *responder, unsigned int request_id, int connection)
{
    FCGX_Request *fastcgi = &responder->fastcgi;
    if (!rewind_opening(responder, request_id))
        return false;
    fastcgi->ipcFd = responder->opening;
    fastcgi->keepConnection = 1;
    if (FCGX_Accept_r(fastcgi) != 0) {
        log_error("fastcgi: libfcgi does not take a request");
        responder->opening = -1;
        return false;
    }
    fastcgi->ipcFd = connection;
    fastcgi->keepConnection = 1;
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

void responder_close(struct responder *responder)
{
    FCGX_Free(&responder->fastcgi, 1);
    forget_opening(responder);
}
