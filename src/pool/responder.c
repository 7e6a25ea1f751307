#include "pool/responder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"

/* Where libfcgi closes a connection itself, which is where writing failed, it would wait for the
 * web server to do so first. */
bool responder_open(struct responder *responder)
{
    responder->file = -1;
    setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "0", 0);
    if (FCGX_Init() == 0 &&
        FCGX_InitRequest(&responder->fastcgi, -1, FCGI_FAIL_ACCEPT_ON_INTR) == 0)
        return true;
    log_error("fastcgi: libfcgi does not start");
    return false;
}

/* Longer than an opening gets: INTAKE_VARIABLES_MOST, and the headers of its records. */
enum { FILE_SIZE = 2 * INTAKE_VARIABLES_MOST };

static bool open_file(struct responder *responder)
{
    int file = memfd_create("opening", MFD_CLOEXEC);
    void *bytes = MAP_FAILED;
    if (file >= 0 && ftruncate(file, FILE_SIZE) == 0)
        bytes = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) {
        log_error("memfd: %s", strerror(errno));
        if (file >= 0)
            close(file);
        return false;
    }
    responder->file = file;
    responder->opening = bytes;
    return true;
}

static void forget_file(struct responder *responder)
{
    munmap(responder->opening, FILE_SIZE);
    responder->opening = NULL;
    responder->file = -1;
}

/* The file is one for all requests, and ends where the opening does, so that libfcgi, which asks
 * for more at a time than there is, gets that and no more. */
static bool write_opening(struct responder *responder, const struct buffer *opening)
{
    if (responder->file < 0 && !open_file(responder))
        return false;
    if (opening->length > FILE_SIZE ||
        lseek(responder->file, -(off_t)opening->length, SEEK_END) < 0) {
        log_error("memfd: an opening of %zu bytes", opening->length);
        return false;
    }
    memcpy(responder->opening + FILE_SIZE - opening->length, opening->data, opening->length);
    return true;
}

/*
 * FCGX_Accept_r() reads a request's opening from a descriptor, after an accept of its own that has
 * no time limit and ignores signals. So it gets a descriptor, of a file that holds the opening,
 * through fields that its header calls private; here alone. Then the connection takes the file's
 * place, for the answer. With keepConnection set libfcgi closes neither: a request that was read to
 * its end has nothing more to come that could reset the connection under the answer, so a plain
 * close(2) does. On an error it closes what it has, all the same, and tries to accept on its
 * listening socket, -1, which fails.
 */
bool responder_begin(struct responder *responder, const struct intake *intake, int connection)
{
    FCGX_Request *fastcgi = &responder->fastcgi;
    if (!write_opening(responder, &intake->opening))
        return false;
    fastcgi->ipcFd = responder->file;
    fastcgi->keepConnection = 1;
    if (FCGX_Accept_r(fastcgi) != 0) {
        log_error("fastcgi: libfcgi does not take a request");
        forget_file(responder);
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
    if (responder->file < 0)
        return;
    close(responder->file);
    forget_file(responder);
}
