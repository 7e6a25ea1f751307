/*
 * What a web server sends, or somebody else who can connect. What the intake takes, libfcgi takes
 * from it as it is, and it is a request like any other.
 */
#include "web/intake.h"

#include <fcgiapp.h>
#include <string.h>
#include <sys/mman.h>
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FCGX_Request fastcgi;
    static struct intake intake;
    log_set_level((enum log_level)0); /* nothing */
    if (fastcgi.listen_sock == 0)
        REQUIRE(FCGX_Init() == 0 && FCGX_InitRequest(&fastcgi, -1, FCGI_FAIL_ACCEPT_ON_INTR) == 0);
    int connection = file_of(data, size);
    intake_reset(&intake);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !intake_is_whole(&intake))
        status = intake_read(&intake, connection);
    close(connection);
    REQUIRE(intake.variables.length <= INTAKE_VARIABLES_MOST);
    REQUIRE(intake.body.length <= INTAKE_BODY_MOST);
    if (status == STATUS_OK) {
        REQUIRE(intake.body.data[intake.body.length] == '\0');
        hand_over(&fastcgi, &intake);
    }
    return 0;
}
