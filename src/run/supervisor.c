#include "run/supervisor.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/memory.h"
#include "run/child.h"
#include "run/notify.h"
#include "run/reload.h"

enum {
    TICK = 250,  /* milliseconds between two looks at what the children are at */
    AWAY = 1000, /* milliseconds between two looks, beyond which the master was stopped */
    ASKERS_MOST = 8,
};

struct supervisor {
    const struct supervisor_options *options;
    const struct config *config;
    const struct scoreboard *scoreboard;
    struct child *children; /* of all kinds, as many of each as may be */
    size_t count;
    int generation;            /* of the configuration */
    bool announced;            /* READY was said for this generation */
    pid_t askers[ASKERS_MOST]; /* that wait for that */
    size_t asker_count;
    int64_t watched_at;
    sigset_t signals;
};

static bool is_wanted(const struct supervisor *supervisor, const struct child *child)
{
    return child->number < child->kind->wanted(supervisor->config);
}

/* Starting ------------------------------------------------------------------------------------- */

static void publish_wanted(const struct supervisor *supervisor, const struct scoreboard_kind *kind)
{
    size_t wanted = kind->kind->wanted(supervisor->config);
    atomic_store(&kind->board->wanted, wanted);
    if (atomic_load(&kind->board->used) < wanted)
        atomic_store(&kind->board->used, wanted);
}

/* What all processes follow, those included that keep the configuration that they began with. */
static void publish_settings(const struct supervisor *supervisor)
{
    const struct scoreboard *scoreboard = supervisor->scoreboard;
    log_set_level((enum log_level)supervisor->config->log_level);
    atomic_store(&scoreboard->settings->log_level, (int)supervisor->config->log_level);
    for (size_t i = 0; i < scoreboard->kind_count; i++)
        publish_wanted(supervisor, &scoreboard->kinds[i]);
}

/* Starts the process if it has none and may. Milliseconds until it may, TICK at most. */
static int64_t start(const struct supervisor *supervisor, struct child *child)
{
    int64_t wait = child->start_at - clock_milliseconds();
    if (child->pid == 0 && wait <= 0)
        child_start(child, supervisor->options->context, supervisor->config,
                    supervisor->generation);
    return child->pid == 0 && wait > 0 && wait < TICK ? wait : TICK;
}

/* Starts what may start now, and answers the milliseconds until the next look. */
static int64_t start_due(struct supervisor *supervisor)
{
    int64_t next = TICK;
    for (size_t i = 0; i < supervisor->count; i++) {
        struct child *child = &supervisor->children[i];
        int64_t wait = is_wanted(supervisor, child) ? start(supervisor, child) : TICK;
        next = wait < next ? wait : next;
    }
    return next;
}

static void reap(struct supervisor *supervisor)
{
    int status = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (size_t i = 0; i < supervisor->count; i++)
            if (supervisor->children[i].pid == pid)
                child_reaped(&supervisor->children[i], supervisor->options->context, status);
}

/* The signal that came, or 0 after so many milliseconds. */
static int wait_for_signal(const struct supervisor *supervisor, int64_t milliseconds,
                           siginfo_t *info)
{
    struct timespec limit = {.tv_sec = milliseconds / 1000,
                             .tv_nsec = milliseconds % 1000 * 1000000};
    int signal = sigtimedwait(&supervisor->signals, info, &limit);
    return signal < 0 ? 0 : signal;
}

/* Reloading ------------------------------------------------------------------------------------ */

static bool reload(struct supervisor *supervisor)
{
    notify_reloading();
    if (supervisor->options->reload(supervisor->options->context) != STATUS_OK) {
        log_error("the configuration is not changed");
        atomic_fetch_add(&supervisor->scoreboard->settings->failed_reloads, 1);
        notify_ready();
        return false;
    }
    publish_settings(supervisor);
    supervisor->generation++;
    supervisor->announced = false;
    atomic_fetch_add(&supervisor->scoreboard->settings->reloads, 1);
    log_notice("the configuration is read; the processes change one by one");
    return true;
}

static void reload_for(struct supervisor *supervisor, pid_t asker)
{
    if (supervisor->asker_count < ASKERS_MOST && reload(supervisor))
        supervisor->askers[supervisor->asker_count++] = asker;
    else
        reload_answer(asker, false);
}

static void announce(struct supervisor *supervisor)
{
    supervisor->options->ready(supervisor->options->context);
    notify_ready();
    supervisor->announced = true;
    while (supervisor->asker_count > 0)
        reload_answer(supervisor->askers[--supervisor->asker_count], true);
}

static bool is_outdated(const struct supervisor *supervisor, const struct child *child)
{
    return child->pid != 0 &&
           (!is_wanted(supervisor, child) || child->generation != supervisor->generation);
}

/* It is on its way in or out. */
static bool is_changing(const struct supervisor *supervisor, const struct child *child)
{
    return (child->pid == 0 && is_wanted(supervisor, child)) || child->kill_at != 0 ||
           progress_stage(&child_slot(child)->progress) == STAGE_STARTING;
}

/* Of the children of a kind, the next one changes when the one before it is done. A configuration
 * that lets none start ends here, with the others as they were. True where all of them have it. */
static bool roll_kind(const struct supervisor *supervisor, struct child *children, size_t count)
{
    struct child *outdated = NULL;
    for (size_t i = count; i-- > 0;) {
        if (is_changing(supervisor, &children[i]))
            return false;
        if (is_outdated(supervisor, &children[i]))
            outdated = &children[i];
    }
    if (outdated != NULL)
        child_stop(outdated, supervisor->config, RESTART_RELOADED);
    return outdated == NULL;
}

/* No kind waits for another. */
static void roll(struct supervisor *supervisor)
{
    bool is_done = true;
    for (size_t i = 0; i < supervisor->count; i += supervisor->children[i].kind->most) {
        const struct child_kind *kind = supervisor->children[i].kind;
        if (kind->reload != CHILD_STAYS)
            is_done = roll_kind(supervisor, &supervisor->children[i], kind->most) && is_done;
    }
    if (is_done && !supervisor->announced)
        announce(supervisor);
}

/* Supervision ---------------------------------------------------------------------------------- */

static void tell_status(const struct supervisor *supervisor)
{
    char status[512] = "";
    if (!notify_wants_status())
        return;
    supervisor->options->describe(supervisor->options->context, status, sizeof status);
    notify_status(status);
}

/* The master itself was stopped for a while, and maybe the whole machine: then the children have
 * until the next look to say that they go on. */
static bool was_away(struct supervisor *supervisor)
{
    int64_t before = supervisor->watched_at;
    supervisor->watched_at = clock_milliseconds();
    return supervisor->watched_at - before > AWAY;
}

static void watch(struct supervisor *supervisor)
{
    bool is_well = false, is_late = was_away(supervisor);
    for (size_t i = 0; i < supervisor->count; i++) {
        struct child *child = &supervisor->children[i];
        is_well |= child->kind->feeds_watchdog && child_is_well(child, supervisor->config);
        if (!is_late)
            child_watch(child, supervisor->config);
    }
    tell_status(supervisor);
    if (is_well)
        notify_watchdog();
}

static void note_alive(const struct supervisor *supervisor, pid_t pid)
{
    for (size_t i = 0; i < supervisor->count; i++)
        if (supervisor->children[i].pid == pid)
            (void)child_beat(child_slot(&supervisor->children[i]), 0);
}

static void supervise(struct supervisor *supervisor)
{
    for (;;) {
        siginfo_t info;
        int signal = wait_for_signal(supervisor, start_due(supervisor), &info);
        if (signal == SIGTERM || signal == SIGINT)
            return;
        if (signal == SIGHUP)
            (void)reload(supervisor);
        if (signal == RELOAD_ASKED)
            reload_for(supervisor, info.si_pid);
        if (signal == CHILD_ALIVE)
            note_alive(supervisor, info.si_pid);
        reap(supervisor);
        watch(supervisor);
        roll(supervisor);
    }
}

static bool has_children(const struct supervisor *supervisor)
{
    for (size_t i = 0; i < supervisor->count; i++)
        if (supervisor->children[i].pid != 0)
            return true;
    return false;
}

/* No new connections, where we can say so; who is connected is answered. */
static int drain(struct supervisor *supervisor)
{
    const struct scoreboard *scoreboard = supervisor->scoreboard;
    siginfo_t info;
    unsigned long killed_before = scoreboard_restarts(scoreboard, RESTART_STUCK);
    log_notice("stopping");
    notify_stopping();
    atomic_store(&scoreboard->settings->draining, true);
    supervisor->options->stopping(supervisor->options->context);
    for (size_t i = 0; i < supervisor->count; i++)
        child_stop(&supervisor->children[i], supervisor->config, RESTART_RECYCLED);
    while (has_children(supervisor)) {
        if (wait_for_signal(supervisor, TICK, &info) == CHILD_ALIVE)
            note_alive(supervisor, info.si_pid);
        reap(supervisor);
        watch(supervisor);
    }
    bool was_in_time = scoreboard_restarts(scoreboard, RESTART_STUCK) == killed_before;
    return was_in_time ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void make_children(struct supervisor *supervisor)
{
    const struct scoreboard *scoreboard = supervisor->scoreboard;
    for (size_t i = 0; i < scoreboard->kind_count; i++)
        supervisor->count += scoreboard->kinds[i].kind->most;
    struct child *child = memory_zeroed(supervisor->count, sizeof *child);
    supervisor->children = child;
    for (size_t i = 0; i < scoreboard->kind_count; i++) {
        const struct scoreboard_kind *kind = &scoreboard->kinds[i];
        for (size_t j = 0; j < kind->kind->most; j++)
            *child++ = (struct child){.kind = kind->kind, .board = kind->board, .number = j};
    }
}

static void take_signals(struct supervisor *supervisor)
{
    const int signals[] = {SIGCHLD,     SIGTERM,     SIGINT,      SIGHUP,
                           CHILD_READY, CHILD_ALIVE, RELOAD_ASKED};
    sigemptyset(&supervisor->signals);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&supervisor->signals, signals[i]);
    sigprocmask(SIG_BLOCK, &supervisor->signals, NULL);
}

int supervisor_run(const struct supervisor_options *options)
{
    struct supervisor supervisor = {
        .options = options, .config = options->config, .scoreboard = options->scoreboard};
    make_children(&supervisor);
    publish_settings(&supervisor);
    take_signals(&supervisor);
    supervise(&supervisor);
    int status = drain(&supervisor);
    free(supervisor.children);
    return status;
}
