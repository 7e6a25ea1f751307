/*
 * A kind of children of the master. Who declares one as a row has its processes started, watched,
 * changed for a new configuration, drained and counted.
 */
#ifndef MAPDIARY_RUN_CHILD_KIND_H
#define MAPDIARY_RUN_CHILD_KIND_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/config.h"
#include "run/progress.h"

struct scoreboard_slot;

/* What the master and its children say to each other. */
enum {
    CHILD_STOP = SIGTERM,  /* to a child, which has it blocked: end when you are done */
    CHILD_READY = SIGUSR1, /* to the master: a child has left STAGE_STARTING */
    CHILD_ALIVE = SIGURG,  /* to the master: a child that sees no scoreboard goes on */
};

enum {
    CHILD_BEAT = 10000, /* milliseconds after which an idle child notes that it goes on */
    CHILD_MISSED = 2 * CHILD_BEAT, /* the limit of STAGE_IDLE for a kind that does so */
};

/* On a new configuration. */
enum child_reload {
    CHILD_REPLACED, /* one by one, each when the one before it is ready */
    CHILD_STAYS,    /* with what it began with; so the number of its kind stays, too */
};

/* The context is that of struct supervisor_options. */
struct child_kind {
    const char *name; /* for the log and the metrics: "worker" */
    size_t most;      /* that there may be at a time */

    /** As many as are configured: no more than that. */
    size_t (*wanted)(const struct config *config);

    /** The process: leaves STAGE_STARTING by child_is_ready(), counts in slot->served, and ends
     * after CHILD_STOP. The number is below most. Answers the exit status. */
    int (*run)(void *context, const struct config *config, struct scoreboard_slot *slot,
               size_t number);

    /** For the master: such a process has ended, and may have left something behind. It has worked
     * if it served, or stood for a while. NULL: not. */
    void (*ended)(void *context, size_t number, bool has_worked);

    /** Milliseconds that one may be at a stage; -1: as long as it takes. NULL: always that. A start
     * has a limit of its own. */
    int64_t (*limit)(const struct config *config, enum stage stage);

    enum child_reload reload;
    bool feeds_watchdog; /* while one of the kind does what it should, the service is well */
};

#endif
