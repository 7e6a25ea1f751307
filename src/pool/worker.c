#include "pool/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "base/log.h"

static volatile sig_atomic_t must_stop;

static void on_sigterm(int signal)
{
    (void)signal;
    must_stop = 1;
}

/*
 * After FCGX_Init(), which puts handlers of its own on SIGTERM, SIGUSR1 and SIGPIPE: its SIGTERM
 * cuts a request short. SIGTERM stays blocked but while we wait for a connection. A worker whose
 * master died has nobody to stop it.
 */
static void set_signals(sigset_t *waiting)
{
    struct sigaction stop = {.sa_handler = on_sigterm};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGINT, &ignore, NULL);
    sigaction(SIGHUP, &ignore, NULL);
    sigaction(SIGUSR1, &usual, NULL);
    sigaction(SIGCHLD, &usual, NULL);
    sigprocmask(SIG_SETMASK, NULL, waiting);
    sigdelset(waiting, SIGTERM);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

/* A connection, or -1 where there is none after all: another worker took it, or it is time to stop.
 */
static int accept_connection(int listener, const sigset_t *waiting, int64_t timeout)
{
    struct pollfd readable = {.fd = listener, .events = POLLIN};
    if (ppoll(&readable, 1, NULL, waiting) <= 0 || must_stop)
        return -1;
    int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            log_error("accept: %s", strerror(errno));
            poll(NULL, 0, 100);
        }
        return -1;
    }
    struct timeval limit = {.tv_sec = timeout / 1000, .tv_usec = timeout % 1000 * 1000};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    return connection;
}

/*
 * libfcgi reads a request in FCGX_Accept_r(), after an accept of its own that has no time limit and
 * ignores signals. So we accept, and hand the connection over through fields that its header calls
 * private; here alone. With keepConnection set it does not close the connection that it finds as if
 * it were the last request's. On an error it closes ours and tries to accept on its listening
 * socket, -1, which fails.
 */
static void serve(struct service *service, FCGX_Request *fastcgi, int connection,
                  atomic_ulong *served)
{
    fastcgi->ipcFd = connection;
    fastcgi->keepConnection = 1;
    if (FCGX_Accept_r(fastcgi) != 0) {
        log_warning("fastcgi: a connection was closed without a request");
        return;
    }
    fastcgi->keepConnection = 0;
    if (!dispatch(service, fastcgi))
        shutdown(fastcgi->ipcFd, SHUT_RDWR);
    FCGX_Finish_r(fastcgi);
    atomic_fetch_add(served, 1);
}

static void serve_all(struct service *service, int listener, atomic_ulong *served)
{
    FCGX_Request fastcgi;
    sigset_t waiting;
    FCGX_InitRequest(&fastcgi, -1, FCGI_FAIL_ACCEPT_ON_INTR);
    set_signals(&waiting);
    while (!must_stop) {
        int connection = accept_connection(listener, &waiting, service->config->io_timeout);
        if (connection >= 0)
            serve(service, &fastcgi, connection, served);
    }
    FCGX_Free(&fastcgi, 1);
}

int worker_run(const struct worker_options *options, atomic_ulong *served)
{
    const struct config *config = options->config;
    const struct db_options database = {.conninfo = config->database,
                                        .timezone = config->timezone,
                                        .timeout = config->request_timeout,
                                        .registry = options->registry};
    struct service service = {.config = config,
                              .operations = options->operations,
                              .db = db_new(&database),
                              .arena = arena_new()};
    /* How long libfcgi waits, at its end of a connection, for the web server to close first:
     * milliseconds. */
    setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "100", 0);
    if (FCGX_Init() != 0)
        return EXIT_FAILURE;
    /* Without a database the worker serves all the same: it says so to every request until there is
     * one. */
    if (db_connect(service.db) != STATUS_OK)
        log_warning("starting without the database");
    serve_all(&service, options->listener, served);
    reply_free(&service.reply);
    arena_free(&service.arena);
    db_free(&service.db);
    return EXIT_SUCCESS;
}
