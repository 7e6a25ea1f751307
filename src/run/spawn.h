/*
 * Starting, stopping and reaping the process of one slot of the scoreboard, a worker or the
 * reception, and how soon the next may start.
 */
#ifndef MAPDIARY_RUN_SPAWN_H
#define MAPDIARY_RUN_SPAWN_H

#include <sys/types.h>

#include "serve/worker.h"

/* What the process does; answers its exit status. */
typedef int spawn_run(const struct worker_options *options, const struct config *config,
                      size_t slot);

struct spawn {
    const char *name; /* for the log */
    spawn_run *run;
    size_t slot;      /* of the scoreboard */
    pid_t pid;        /* 0: no process */
    int generation;   /* of the configuration that it has */
    int64_t start_at; /* when the next one may start, on the monotonic clock */
    int64_t delay;    /* before the last start, in milliseconds */
    int64_t kill_at;  /* when it is killed that was told to stop; 0: it was not told */
    enum restart why; /* it ends */
};

/** Forks a process with this configuration. */
void spawn_start(struct spawn *spawn, const struct worker_options *options,
                 const struct config *config, int generation);

/** Tells the process to end when it is done, within drain_timeout. */
void spawn_stop(struct spawn *spawn, const struct config *config, enum restart why);

/** Cuts or kills a process that is at one thing for too long, or does not end when told. */
void spawn_watch(struct spawn *spawn, struct scoreboard *scoreboard, const struct config *config);

/** The process has ended with this status of waitpid(2): plans the start of the next. */
void spawn_reaped(struct spawn *spawn, struct scoreboard *scoreboard, int status);

/** True where the process does what it should: it is there, and not at one thing for too long. */
bool spawn_is_well(const struct spawn *spawn, const struct scoreboard *scoreboard,
                   const struct config *config);

#endif
