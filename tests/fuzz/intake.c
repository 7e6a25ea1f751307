/*
 * What a web server sends, or somebody else who can connect. What the intake takes, libfcgi takes
 * from it as it is, and it is a request like any other.
 */
#include "web/intake.h"

#include <fcgiapp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "fuzz.h"
#include "web/request.h"

static int file_of(const void *bytes, size_t size)
{
    int file = memfd_create("records", MFD_CLOEXEC);
    REQUIRE(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    REQUIRE(lseek(file, 0, SEEK_SET) == 0);
    return file;
}

/* "NAME=value" texts are as long together as the variables with their lengths allow. */
static void require_variables(const struct intake *intake, char *const *variables)
{
    size_t length = 0, count = 0;
    for (; variables[count] != NULL; count++) {
        REQUIRE(strchr(variables[count], '=') != NULL);
        length += strlen(variables[count]) + 1;
    }
    /* libfcgi adds one of its own, FCGI_ROLE. */
    REQUIRE(count > 0 && length <= intake->variables.length + strlen("FCGI_ROLE=RESPONDER") + 1);
}

static void hand_over(FCGX_Request *fastcgi, const struct intake *intake)
{
    struct arena *arena = arena_new();
    struct request request;
    fastcgi->ipcFd = file_of(intake->opening.data, intake->opening.length);
    fastcgi->keepConnection = 1;
    REQUIRE(FCGX_Accept_r(fastcgi) == 0 && FCGX_GetError(fastcgi->in) == 0);
    fastcgi->keepConnection = 0;
    require_variables(intake, fastcgi->envp);
    enum status status = request_read(fastcgi->envp, intake, arena, &request);
    REQUIRE(status != STATUS_OK || request.body_length == intake->body_length);
    REQUIRE(request.identifier != NULL);
    FCGX_Finish_r(fastcgi);
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
    static FCGX_Request fastcgi;
    static struct intake intake;
    log_set_level((enum log_level)0); /* nothing */
    if (fastcgi.listen_sock == 0)
        REQUIRE(FCGX_Init() == 0 && FCGX_InitRequest(&fastcgi, -1, FCGI_FAIL_ACCEPT_ON_INTR) == 0);
    enum status status = take(&intake, data, size);
    REQUIRE(intake.variables.length <= INTAKE_VARIABLES_MOST);
    REQUIRE(intake.body.length <= INTAKE_BODY_MOST);
    if (status == STATUS_OK) {
        REQUIRE(intake.body.data[intake.body.length] == '\0');
        hand_over(&fastcgi, &intake);
    }
    return 0;
}
