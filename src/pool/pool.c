#include "pool/pool.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

enum { RESPAWN_LEAST = 100, RESPAWN_MOST = 5000 }; /* milliseconds */

struct slot {
    pid_t pid;            /* 0: no worker */
    int64_t start_at;     /* when the next one may start, on the monotonic clock */
    int64_t delay;        /* before the last start */
    atomic_ulong *served; /* by this worker, in memory shared with it */
};

struct pool {
    const struct worker_options *options;
    struct slot *slots;
    size_t count;
    sigset_t signals;
};

static void start_worker(struct pool *pool, struct slot *slot)
{
    atomic_store(slot->served, 0);
    slot->pid = fork();
    if (slot->pid == 0) {
        sigset_t blocked;
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGTERM);
        sigprocmask(SIG_SETMASK, &blocked, NULL);
        exit(worker_run(pool->options, slot->served));
    }
    if (slot->pid < 0) {
        log_error("fork: %s", strerror(errno));
        slot->pid = 0;
        slot->start_at = clock_milliseconds() + RESPAWN_MOST;
    }
}

/* Starts what may start now, and answers the milliseconds until the next that must wait; -1 for
 * none. */
static int64_t start_due(struct pool *pool)
{
    int64_t next = -1;
    for (size_t i = 0; i < pool->count; i++) {
        struct slot *slot = &pool->slots[i];
        int64_t wait = slot->start_at - clock_milliseconds();
        if (slot->pid == 0 && wait <= 0)
            start_worker(pool, slot);
        else if (slot->pid == 0 && (next < 0 || wait < next))
            next = wait;
    }
    return next;
}

/* A worker that served is replaced at once; one that never did would only die again, so each wait
 * is longer. */
static void plan_restart(struct slot *slot)
{
    if (atomic_load(slot->served) > 0)
        slot->delay = 0;
    else
        slot->delay = slot->delay == 0 ? RESPAWN_LEAST : slot->delay * 2;
    if (slot->delay > RESPAWN_MOST)
        slot->delay = RESPAWN_MOST;
    slot->start_at = clock_milliseconds() + slot->delay;
}

static void log_death(pid_t pid, int status)
{
    if (WIFSIGNALED(status))
        log_error("worker %ld was ended by signal %d", (long)pid, WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        log_error("worker %ld ended with status %d", (long)pid, WEXITSTATUS(status));
}

static void reap(struct pool *pool)
{
    int status = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        log_death(pid, status);
        for (size_t i = 0; i < pool->count; i++) {
            if (pool->slots[i].pid != pid)
                continue;
            pool->slots[i].pid = 0;
            plan_restart(&pool->slots[i]);
        }
    }
}

/* The signal that came, or 0 after so many milliseconds; -1 waits for ever. */
static int wait_for_signal(const struct pool *pool, int64_t milliseconds)
{
    struct timespec limit = {.tv_sec = milliseconds / 1000,
                             .tv_nsec = milliseconds % 1000 * 1000000};
    int signal = sigtimedwait(&pool->signals, NULL, milliseconds < 0 ? NULL : &limit);
    return signal < 0 ? 0 : signal;
}

static size_t signal_workers(const struct pool *pool, int signal)
{
    size_t running = 0;
    for (size_t i = 0; i < pool->count; i++) {
        if (pool->slots[i].pid == 0)
            continue;
        running++;
        if (signal != 0)
            kill(pool->slots[i].pid, signal);
    }
    return running;
}

static int drain(struct pool *pool)
{
    int64_t deadline = clock_milliseconds() + pool->options->config->drain_timeout;
    size_t running = signal_workers(pool, SIGTERM);
    while (running > 0 && clock_milliseconds() < deadline) {
        int64_t left = deadline - clock_milliseconds();
        (void)wait_for_signal(pool, left > 0 ? left : 0);
        reap(pool);
        running = signal_workers(pool, 0);
    }
    if (running == 0)
        return EXIT_SUCCESS;
    log_error("%zu workers did not finish in time and are killed", running);
    (void)signal_workers(pool, SIGKILL);
    return EXIT_FAILURE;
}

static void supervise(struct pool *pool)
{
    for (;;) {
        int signal = wait_for_signal(pool, start_due(pool));
        if (signal == SIGTERM || signal == SIGINT) {
            log_notice("stopping");
            return;
        }
        reap(pool);
    }
}

static void open_pool(struct pool *pool, const struct worker_options *options)
{
    size_t count = (size_t)options->config->workers;
    *pool = (struct pool){.options = options, .count = count};
    pool->slots = memory_zeroed(count, sizeof *pool->slots);
    atomic_ulong *served = mmap(NULL, count * sizeof *served, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (served == MAP_FAILED) {
        log_error("mmap: %s", strerror(errno));
        abort();
    }
    for (size_t i = 0; i < count; i++)
        pool->slots[i].served = &served[i];
    sigemptyset(&pool->signals);
    sigaddset(&pool->signals, SIGCHLD);
    sigaddset(&pool->signals, SIGTERM);
    sigaddset(&pool->signals, SIGINT);
    sigaddset(&pool->signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &pool->signals, NULL);
}

int pool_run(const struct worker_options *options)
{
    struct pool pool;
    open_pool(&pool, options);
    (void)start_due(&pool);
    log_notice("serving on %s with %zu workers", options->config->listen, pool.count);
    sd_notify(0, "READY=1");
    supervise(&pool);
    sd_notify(0, "STOPPING=1");
    int status = drain(&pool);
    munmap(pool.slots[0].served, pool.count * sizeof *pool.slots[0].served);
    free(pool.slots);
    return status;
}
