#include "decoder/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "decoder/library.h"
#include "decoder/process.h"
#include "decoder/sandbox.h"
#include "run/child_kind.h"

enum { PROCESSES_MOST = 64, NICE = 5 };

struct server {
    int channel; /* -1: nobody has its other end */
    int signals;
    int null;
    size_t most;   /* pictures at a time */
    int64_t limit; /* milliseconds that one may take */
    struct process processes[PROCESSES_MOST];
};

/* Pictures ------------------------------------------------------------------------------------- */

static struct process *free_process(struct server *server)
{
    for (size_t i = 0; i < server->most; i++)
        if (server->processes[i].pid == 0)
            return &server->processes[i];
    return NULL;
}

static bool is_busy(const struct server *server)
{
    bool busy = false;
    for (size_t i = 0; i < server->most; i++)
        busy = busy || server->processes[i].pid != 0;
    return busy;
}

static void take(struct server *server)
{
    struct request request;
    enum request_arrival arrival = request_receive(server->channel, &request);
    if (arrival == REQUEST_CAME)
        process_start(free_process(server), &request, server->null, server->limit);
    if (arrival == REQUEST_NO_MORE)
        server->channel = -1;
}

static void reap(struct server *server)
{
    struct signalfd_siginfo ignored;
    ssize_t got = read(server->signals, &ignored, sizeof ignored);
    int status;
    pid_t pid;
    (void)got;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (size_t i = 0; i < server->most; i++)
            if (server->processes[i].pid == pid)
                process_ended(&server->processes[i], status);
}

/* Waiting -------------------------------------------------------------------------------------- */

enum { POLLED_CHANNEL, POLLED_SIGNALS, POLLED_PROCESSES };

static bool is_watched(const struct process *process)
{
    return process->pid != 0 && !process->is_cut;
}

/* Milliseconds until the next picture has taken too long; -1: there is none. */
static int next_end(const struct server *server)
{
    int64_t next = -1, now = clock_milliseconds();
    for (size_t i = 0; i < server->most; i++) {
        int64_t left = server->processes[i].end - now;
        if (is_watched(&server->processes[i]) && (next < 0 || left < next))
            next = left > 0 ? left : 0;
    }
    return (int)next;
}

/* Tells the master that the decoder goes on. Milliseconds until it is to do so again, or until the
 * next picture has taken too long. */
static int beat(int next)
{
    kill(getppid(), CHILD_ALIVE);
    return next < 0 || next > CHILD_BEAT ? CHILD_BEAT : next;
}

/* No job is taken that would have to wait: another decoder can have it, should this one end. */
static void wait_for_events(struct server *server, struct pollfd *polled)
{
    bool has_room = free_process(server) != NULL;
    polled[POLLED_CHANNEL] = (struct pollfd){has_room ? server->channel : -1, POLLIN, 0};
    polled[POLLED_SIGNALS] = (struct pollfd){server->signals, POLLIN, 0};
    for (size_t i = 0; i < server->most; i++) {
        const struct process *process = &server->processes[i];
        polled[POLLED_PROCESSES + i] =
            (struct pollfd){is_watched(process) ? process->reply : -1, 0, 0};
    }
    if (poll(polled, POLLED_PROCESSES + server->most, beat(next_end(server))) < 0)
        for (size_t i = 0; i < POLLED_PROCESSES + server->most; i++)
            polled[i].revents = 0;
}

/* A picture that takes too long, or that nobody waits for any more. */
static void cut(struct server *server, const struct pollfd *polled)
{
    int64_t now = clock_milliseconds();
    for (size_t i = 0; i < server->most; i++) {
        struct process *process = &server->processes[i];
        bool is_left = (polled[POLLED_PROCESSES + i].revents & (POLLHUP | POLLERR)) != 0;
        bool is_late = now >= process->end;
        if (!is_watched(process) || (!is_left && !is_late))
            continue;
        if (is_late)
            log_info("a picture is refused: it takes too long");
        process_cut(process);
    }
}

static void run(struct server *server)
{
    struct pollfd polled[POLLED_PROCESSES + PROCESSES_MOST];
    while (server->channel >= 0 || is_busy(server)) {
        wait_for_events(server, polled);
        cut(server, polled);
        if (polled[POLLED_SIGNALS].revents != 0)
            reap(server);
        if (polled[POLLED_CHANNEL].revents != 0)
            take(server);
    }
}

/* Starting ------------------------------------------------------------------------------------- */

static bool open_server(struct server *server)
{
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, NULL);
    server->signals = signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
    server->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (server->signals < 0 || server->null < 0)
        log_error("%s", strerror(errno));
    return server->signals >= 0 && server->null >= 0;
}

static size_t processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > PROCESSES_MOST ? PROCESSES_MOST : (size_t)count;
}

/* Workers go first: each counts three times as much. With a higher number a picture would wait
 * until its time is over where the processors are busy. */
static void give_way(void)
{
    errno = 0;
    if (nice(NICE) == -1 && errno != 0)
        log_warning("nice: %s", strerror(errno));
}

int serve(int channel, int64_t limit)
{
    static struct server server;
    server.channel = channel;
    server.limit = limit;
    server.most = processors();
    give_way();
    if (!sandbox_forget(STDERR_FILENO + 1) || !library_open("mapdiary-decoder") ||
        !open_server(&server) || !sandbox_open() || !sandbox_enter())
        return EXIT_FAILURE;
    run(&server);
    return EXIT_SUCCESS;
}
