#include "run/spawn.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"

enum {
    RESPAWN_LEAST = 100, /* milliseconds */
    RESPAWN_MOST = 5000,
    STUCK_GRACE = 2000 /* before it is killed for it */
};

/*
 * A worker, the web server and PostgreSQL wake one another several times for a request. What is
 * woken under SCHED_BATCH waits for its turn instead of pushing another off the processor
 * (sched(7)), so that all of them get more done at a time. Where the system refuses, they get less
 * done.
 */
static void be_patient(void)
{
    static const struct sched_param no_priority;
    (void)sched_setscheduler(0, SCHED_BATCH, &no_priority);
}

static void run(const struct spawn *spawn, const struct worker_options *options,
                const struct config *config)
{
    be_patient();
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, WORKER_STOP);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    exit(spawn->run(options, config, spawn->slot));
}

void spawn_start(struct spawn *spawn, const struct worker_options *options,
                 const struct config *config, int generation)
{
    struct scoreboard_slot *board = &options->scoreboard->slots[spawn->slot];
    atomic_store(&board->served, 0);
    progress_enter(&board->progress, STAGE_STARTING);
    spawn->generation = generation;
    spawn->kill_at = 0;
    spawn->why = RESTART_RECYCLED;
    spawn->pid = fork();
    if (spawn->pid == 0)
        run(spawn, options, config);
    if (spawn->pid < 0) {
        log_error("fork: %s", strerror(errno));
        progress_enter(&board->progress, STAGE_NONE);
        spawn->pid = 0;
        spawn->start_at = clock_milliseconds() + RESPAWN_MOST;
    }
}

void spawn_stop(struct spawn *spawn, const struct config *config, enum restart why)
{
    if (spawn->pid == 0 || spawn->kill_at != 0)
        return;
    spawn->why = why;
    spawn->kill_at = clock_milliseconds() + config->drain_timeout;
    kill(spawn->pid, WORKER_STOP);
}

static void kill_process(struct spawn *spawn, const char *why)
{
    log_error("%s %ld %s and is killed", spawn->name, (long)spawn->pid, why);
    spawn->why = RESTART_STUCK;
    kill(spawn->pid, SIGKILL);
}

/* Milliseconds beyond what the stage may take; negative where there is time left. */
static int64_t overtime(const struct spawn *spawn, const struct scoreboard *scoreboard,
                        const struct config *config)
{
    const struct progress *progress = &scoreboard->slots[spawn->slot].progress;
    int64_t limit = worker_limit(config, progress_stage(progress));
    return limit < 0 ? -1 : progress_age(progress) - limit;
}

void spawn_watch(struct spawn *spawn, struct scoreboard *scoreboard, const struct config *config)
{
    if (spawn->pid == 0)
        return;
    int64_t over = overtime(spawn, scoreboard, config);
    if (spawn->kill_at != 0 && clock_milliseconds() >= spawn->kill_at)
        kill_process(spawn, "does not end when told");
    else if (over >= STUCK_GRACE)
        kill_process(spawn, "is stuck");
}

bool spawn_is_well(const struct spawn *spawn, const struct scoreboard *scoreboard,
                   const struct config *config)
{
    return spawn->pid != 0 && overtime(spawn, scoreboard, config) < 0;
}

static void log_end(const struct spawn *spawn, int status)
{
    if (WIFSIGNALED(status))
        log_error("%s %ld was ended by signal %d", spawn->name, (long)spawn->pid, WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        log_error("%s %ld ended with status %d", spawn->name, (long)spawn->pid,
                  WEXITSTATUS(status));
}

/* Who served is replaced at once, and so is one that was told to end; one that never did
 * would only die again, so each wait is longer. */
static void plan_start(struct spawn *spawn, unsigned long served, bool was_told)
{
    if (served > 0 || was_told)
        spawn->delay = 0;
    else
        spawn->delay = spawn->delay == 0 ? RESPAWN_LEAST : spawn->delay * 2;
    if (spawn->delay > RESPAWN_MOST)
        spawn->delay = RESPAWN_MOST;
    spawn->start_at = clock_milliseconds() + spawn->delay;
}

void spawn_reaped(struct spawn *spawn, struct scoreboard *scoreboard, int status)
{
    struct scoreboard_slot *board = &scoreboard->slots[spawn->slot];
    bool died = WIFSIGNALED(status) || WEXITSTATUS(status) != 0;
    enum restart why = died && spawn->why != RESTART_STUCK ? RESTART_DIED : spawn->why;
    log_end(spawn, status);
    atomic_fetch_add(&scoreboard->restarts[why], 1);
    plan_start(spawn, atomic_load(&board->served), spawn->kill_at != 0);
    spool_forget(&scoreboard->spooled, &board->spooled);
    atomic_store(&board->connected, false);
    progress_enter(&board->progress, STAGE_NONE);
    spawn->pid = 0;
    spawn->kill_at = 0;
}
