/*
 * A child of the master: the process of one slot of the scoreboard, its end, and how soon the next
 * may start.
 *
 *           child_start()           child_is_ready()          child_stop()
 *    none ----------------> starting ----------------> ready ----------------> stopping
 *     ^                        |                         |                        |
 *     |                        +-------------------------+------------------------+
 *     |                                                  |  it ends by itself, or is killed, who
 *     |                                                  |  is at a stage or stopping for too long
 *     +--------------------- child_reaped() <------------+
 *
 * One that served, or stood for a while, or was told to end, is replaced at once; after one that
 * did nothing of that, each wait is longer than the one before.
 */
#ifndef MAPDIARY_RUN_CHILD_H
#define MAPDIARY_RUN_CHILD_H

#include <sys/types.h>

#include "run/child_kind.h"
#include "run/scoreboard.h"

struct child {
    const struct child_kind *kind;
    struct scoreboard_board *board;
    size_t number;    /* of its kind, as that of its slot */
    pid_t pid;        /* 0: no process */
    int generation;   /* of the configuration that it has */
    int64_t began_at; /* on the monotonic clock, as the next two */
    int64_t start_at; /* when the next one may start */
    int64_t delay;    /* before the last start, in milliseconds */
    int64_t kill_at;  /* when it is killed that was told to stop; 0: it was not told */
    enum restart why; /* it ends */
};

struct scoreboard_slot *child_slot(const struct child *child);

/** Forks a process with this configuration. */
void child_start(struct child *child, void *context, const struct config *config, int generation);

/** For the process: it does what it should from here on. */
void child_is_ready(struct scoreboard_slot *slot);

/** Notes that the process goes on. To be called before it waits for so many milliseconds, -1 being
 * no limit; answers the time that it may wait, at most CHILD_BEAT. */
int child_beat(struct scoreboard_slot *slot, int64_t wait);

/** Tells the process to end when it is done, within drain_timeout. */
void child_stop(struct child *child, const struct config *config, enum restart why);

/** Kills a process that is at one thing for too long, or does not end when told. */
void child_watch(struct child *child, const struct config *config);

/** The process has ended with this status of waitpid(2): plans the start of the next. */
void child_reaped(struct child *child, void *context, int status);

/** True where the process does what it should: it is there, and not at one thing for too long. */
bool child_is_well(const struct child *child, const struct config *config);

#endif
