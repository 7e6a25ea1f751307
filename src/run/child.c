#include "run/child.h"

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
    START_MOST = 10000,
    STUCK_GRACE = 2000, /* before it is killed for it */
};

/*
 * A child, the web server and PostgreSQL wake one another several times for a request. What is
 * woken under SCHED_BATCH waits for its turn instead of pushing another off the processor
 * (sched(7)), so that all of them get more done at a time. Where the system refuses, they get less
 * done.
 */
static void be_patient(void)
{
    static const struct sched_param no_priority;
    (void)sched_setscheduler(0, SCHED_BATCH, &no_priority);
}

struct scoreboard_slot *child_slot(const struct child *child)
{
    return &child->board->slots[child->number];
}

static void run(const struct child *child, void *context, const struct config *config)
{
    be_patient();
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, CHILD_STOP);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    exit(child->kind->run(context, config, child_slot(child), child->number));
}

void child_is_ready(struct scoreboard_slot *slot)
{
    progress_enter(&slot->progress, STAGE_IDLE);
    kill(getppid(), CHILD_READY);
}

int child_beat(struct scoreboard_slot *slot, int64_t wait)
{
    progress_enter(&slot->progress, STAGE_IDLE);
    return (int)(wait < 0 || wait > CHILD_BEAT ? CHILD_BEAT : wait);
}

void child_start(struct child *child, void *context, const struct config *config, int generation)
{
    struct scoreboard_slot *slot = child_slot(child);
    atomic_store(&slot->served, 0);
    progress_enter(&slot->progress, STAGE_STARTING);
    child->generation = generation;
    child->began_at = clock_milliseconds();
    child->kill_at = 0;
    child->why = RESTART_RECYCLED;
    child->pid = fork();
    if (child->pid == 0)
        run(child, context, config);
    if (child->pid < 0) {
        log_error("fork: %s", strerror(errno));
        progress_enter(&slot->progress, STAGE_NONE);
        child->pid = 0;
        child->start_at = clock_milliseconds() + RESPAWN_MOST;
    }
}

void child_stop(struct child *child, const struct config *config, enum restart why)
{
    if (child->pid == 0 || child->kill_at != 0)
        return;
    child->why = why;
    child->kill_at = clock_milliseconds() + config->drain_timeout;
    kill(child->pid, CHILD_STOP);
}

static void kill_process(struct child *child, const char *why)
{
    log_error("%s %ld %s and is killed", child->kind->name, (long)child->pid, why);
    child->why = RESTART_STUCK;
    kill(child->pid, SIGKILL);
}

static int64_t limit_of(const struct child *child, const struct config *config, enum stage stage)
{
    const struct child_kind *kind = child->kind;
    if (stage == STAGE_STARTING)
        return START_MOST;
    return kind->limit != NULL ? kind->limit(config, stage) : -1;
}

/* Milliseconds beyond what the stage may take; negative where there is time left. */
static int64_t overtime(const struct child *child, const struct config *config)
{
    const struct progress *progress = &child_slot(child)->progress;
    int64_t limit = limit_of(child, config, progress_stage(progress));
    return limit < 0 ? -1 : progress_age(progress) - limit;
}

void child_watch(struct child *child, const struct config *config)
{
    if (child->pid == 0)
        return;
    int64_t over = overtime(child, config);
    if (child->kill_at != 0 && clock_milliseconds() >= child->kill_at)
        kill_process(child, "does not end when told");
    else if (over >= STUCK_GRACE)
        kill_process(child, "is stuck");
}

bool child_is_well(const struct child *child, const struct config *config)
{
    return child->pid != 0 && overtime(child, config) < 0;
}

static void log_end(const struct child *child, int status)
{
    const char *name = child->kind->name;
    if (WIFSIGNALED(status))
        log_error("%s %ld was ended by signal %d", name, (long)child->pid, WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        log_error("%s %ld ended with status %d", name, (long)child->pid, WEXITSTATUS(status));
}

/* Other programs do not count what they serve: they have stood for a while. */
static bool has_worked(const struct child *child)
{
    const struct scoreboard_slot *slot = child_slot(child);
    return atomic_load(&slot->served) > 0 ||
           (progress_stage(&slot->progress) != STAGE_STARTING &&
            clock_milliseconds() - child->began_at >= RESPAWN_MOST);
}

/* One that never worked would only die again. */
static void plan_start(struct child *child, bool was_good, bool was_told)
{
    if (was_good || was_told)
        child->delay = 0;
    else
        child->delay = child->delay == 0 ? RESPAWN_LEAST : child->delay * 2;
    if (child->delay > RESPAWN_MOST)
        child->delay = RESPAWN_MOST;
    child->start_at = clock_milliseconds() + child->delay;
}

void child_reaped(struct child *child, void *context, int status)
{
    struct scoreboard_slot *slot = child_slot(child);
    bool died = WIFSIGNALED(status) || WEXITSTATUS(status) != 0;
    enum restart why = died && child->why != RESTART_STUCK ? RESTART_DIED : child->why;
    bool was_good = has_worked(child);
    log_end(child, status);
    atomic_fetch_add(&child->board->restarts[why], 1);
    plan_start(child, was_good, child->kill_at != 0);
    if (child->kind->ended != NULL)
        child->kind->ended(context, child->number, was_good);
    progress_enter(&slot->progress, STAGE_NONE);
    child->pid = 0;
    child->kill_at = 0;
}
