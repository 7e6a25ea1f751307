#include "run/pool.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/places.h"
#include "http/body.h"
#include "run/notify.h"
#include "run/spawn.h"
#include "serve/pages.h"

enum { TICK = 250 }; /* milliseconds between two looks at what the workers are at */

struct pool {
    const struct pool_options *options;
    struct worker_options worker;
    struct pages_context pages;
    struct scoreboard *scoreboard;
    struct spawn *spawns; /* SCOREBOARD_SLOTS of them */
    size_t count;         /* those that have had a worker: the others are beyond */
    struct spawn desk;    /* of the reception, which a new configuration does not change */
    struct reception reception;
    int generation; /* of the configuration */
    bool announced; /* READY was said for this generation */
    sigset_t signals;
};

static size_t wanted(const struct pool *pool)
{
    return (size_t)pool->options->config->workers;
}

static enum stage stage_of(const struct pool *pool, size_t i)
{
    return progress_stage(&pool->scoreboard->slots[i].progress);
}

/* Starts the process if it has none and may. Milliseconds until it may, TICK at most. */
static int64_t start(const struct pool *pool, struct spawn *spawn)
{
    int64_t wait = spawn->start_at - clock_milliseconds();
    if (spawn->pid == 0 && wait <= 0)
        spawn_start(spawn, &pool->worker, pool->options->config, pool->generation);
    return spawn->pid == 0 && wait > 0 && wait < TICK ? wait : TICK;
}

/* Starts what may start now, and answers the milliseconds until the next look. */
static int64_t start_due(struct pool *pool)
{
    int64_t next = start(pool, &pool->desk);
    if (pool->count < wanted(pool))
        pool->count = wanted(pool);
    atomic_store(&pool->scoreboard->slot_count, pool->count);
    atomic_store(&pool->scoreboard->wanted, wanted(pool));
    for (size_t i = 0; i < wanted(pool); i++) {
        int64_t wait = start(pool, &pool->spawns[i]);
        next = wait < next ? wait : next;
    }
    return next;
}

static void reap(struct pool *pool)
{
    int status = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pool->desk.pid == pid)
            spawn_reaped(&pool->desk, pool->scoreboard, status);
        for (size_t i = 0; i < pool->count; i++)
            if (pool->spawns[i].pid == pid)
                spawn_reaped(&pool->spawns[i], pool->scoreboard, status);
    }
}

/* The signal that came, or 0 after so many milliseconds. */
static int wait_for_signal(const struct pool *pool, int64_t milliseconds)
{
    struct timespec limit = {.tv_sec = milliseconds / 1000,
                             .tv_nsec = milliseconds % 1000 * 1000000};
    int signal = sigtimedwait(&pool->signals, NULL, &limit);
    return signal < 0 ? 0 : signal;
}

/* What all processes follow, those included that keep the configuration that they began with. */
static void publish_settings(const struct pool *pool)
{
    log_set_level((enum log_level)pool->options->config->log_level);
    atomic_store(&pool->scoreboard->log_level, (int)pool->options->config->log_level);
    atomic_store(&pool->scoreboard->spool_size, pool->options->config->spool_size);
}

/* Reloading -------------------------------------------------------------------------------------
 */

static void reload(struct pool *pool)
{
    struct config config;
    notify_reloading();
    if (pool->options->read_config(&config, pool->options->config_path) != STATUS_OK) {
        log_error("the configuration is not changed");
        atomic_fetch_add(&pool->scoreboard->failed_reloads, 1);
        notify_ready();
        return;
    }
    if (strcmp(config.listen, pool->options->config->listen) != 0)
        log_warning("listen is changed by a restart alone; the old socket stays");
    if (strcmp(config.spool_directory, pool->worker.spool.directory) != 0)
        log_warning("spool_directory is changed by a restart alone; the old folder stays");
    config_free(pool->options->config);
    *pool->options->config = config;
    publish_settings(pool);
    pool->generation++;
    pool->announced = false;
    atomic_fetch_add(&pool->scoreboard->reloads, 1);
    log_notice("the configuration is read; the workers change one by one");
}

static bool is_outdated(const struct pool *pool, size_t i)
{
    const struct spawn *spawn = &pool->spawns[i];
    return spawn->pid != 0 && (i >= wanted(pool) || spawn->generation != pool->generation);
}

/* It is on its way in or out. */
static bool is_changing(const struct pool *pool, size_t i)
{
    const struct spawn *spawn = &pool->spawns[i];
    return (spawn->pid == 0 && i < wanted(pool)) || spawn->kill_at != 0 ||
           stage_of(pool, i) == STAGE_STARTING;
}

/* The next worker changes when the one before it is done. A configuration that lets no worker start
 * ends here, with the others as they were. */
static void roll(struct pool *pool)
{
    size_t outdated = pool->count;
    for (size_t i = pool->count; i-- > 0;) {
        if (is_changing(pool, i))
            return;
        if (is_outdated(pool, i))
            outdated = i;
    }
    if (outdated < pool->count)
        spawn_stop(&pool->spawns[outdated], pool->options->config, RESTART_RELOADED);
    else if (!pool->announced) {
        log_notice("ready on %s with %zu workers", pool->options->listener->name, wanted(pool));
        notify_ready();
        pool->announced = true;
    }
}

/* Supervision -----------------------------------------------------------------------------------
 */

static void watch(struct pool *pool)
{
    bool progress = false;
    for (size_t i = 0; i < pool->count; i++) {
        struct spawn *spawn = &pool->spawns[i];
        progress = progress || spawn_is_well(spawn, pool->scoreboard, pool->options->config);
        spawn_watch(spawn, pool->scoreboard, pool->options->config);
    }
    spawn_watch(&pool->desk, pool->scoreboard, pool->options->config);
    notify_status(pool->scoreboard);
    if (progress)
        notify_watchdog();
}

static void supervise(struct pool *pool)
{
    for (;;) {
        int signal = wait_for_signal(pool, start_due(pool));
        if (signal == SIGTERM || signal == SIGINT)
            return;
        if (signal == SIGHUP)
            reload(pool);
        reap(pool);
        watch(pool);
        roll(pool);
    }
}

static size_t running(const struct pool *pool)
{
    size_t count = pool->desk.pid != 0;
    for (size_t i = 0; i < pool->count; i++)
        count += pool->spawns[i].pid != 0;
    return count;
}

static unsigned long killed(const struct pool *pool)
{
    return atomic_load(&pool->scoreboard->restarts[RESTART_STUCK]);
}

/* No new connections, where we can say so; who is connected is answered. The reception ends when no
 * process has an entrance to it any more. */
static int drain(struct pool *pool)
{
    unsigned long killed_before = killed(pool);
    log_notice("stopping");
    notify_stopping();
    atomic_store(&pool->scoreboard->draining, true);
    listener_withdraw(pool->options->listener);
    for (size_t i = 0; i < pool->count; i++)
        spawn_stop(&pool->spawns[i], pool->options->config, RESTART_RECYCLED);
    spawn_stop(&pool->desk, pool->options->config, RESTART_RECYCLED);
    reception_close(&pool->reception);
    while (running(pool) > 0) {
        (void)wait_for_signal(pool, TICK);
        reap(pool);
        watch(pool);
    }
    return killed(pool) == killed_before ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_reception(const struct worker_options *options, const struct config *config,
                         size_t slot)
{
    struct spool spool = spool_of(options, slot);
    const struct input_options input = {&spool, body_most()};
    (void)config;
    prctl(PR_SET_NAME, "mapd-reception"); /* of 15 bytes at most */
    close(options->listener->descriptor);
    return reception_run(options->reception, &input, options->scoreboard);
}

static struct spool open_spool(struct scoreboard *scoreboard, const struct config *config)
{
    return (struct spool){.directory = memory_copy_text(config->spool_directory),
                          .most = &scoreboard->spool_size,
                          .all = &scoreboard->spooled};
}

static bool open_pool(struct pool *pool, const struct pool_options *options)
{
    static const int signals[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, WORKER_READY};
    int hashing = places_open();
    *pool = (struct pool){.options = options, .scoreboard = scoreboard_new()};
    if (hashing < 0 || pool->scoreboard == NULL || !reception_open(&pool->reception))
        return false;
    publish_settings(pool);
    pool->desk =
        (struct spawn){.name = "reception", .run = run_reception, .slot = SCOREBOARD_RECEPTION};
    pool->spawns = memory_zeroed(SCOREBOARD_SLOTS, sizeof *pool->spawns);
    for (size_t i = 0; i < SCOREBOARD_SLOTS; i++)
        pool->spawns[i] = (struct spawn){.name = "worker", .run = worker_run, .slot = i};
    pool->pages = (struct pages_context){pool->scoreboard, options->operations};
    pool->worker = (struct worker_options){.operations = options->operations,
                                           .registry = options->registry,
                                           .pages = pool_pages,
                                           .pages_context = &pool->pages,
                                           .listener = options->listener,
                                           .spool = open_spool(pool->scoreboard, options->config),
                                           .reception = &pool->reception,
                                           .scoreboard = pool->scoreboard,
                                           .hashing = hashing};
    sigemptyset(&pool->signals);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&pool->signals, signals[i]);
    sigprocmask(SIG_BLOCK, &pool->signals, NULL);
    return true;
}

int pool_run(const struct pool_options *options)
{
    struct pool pool;
    if (!open_pool(&pool, options))
        return EXIT_FAILURE;
    supervise(&pool);
    int status = drain(&pool);
    close(pool.worker.hashing);
    free((char *)(uintptr_t)pool.worker.spool.directory);
    free(pool.spawns);
    scoreboard_free(&pool.scoreboard);
    return status;
}
