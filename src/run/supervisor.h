/*
 * The supervisor: as many children of each kind as are configured, replaced when they die, stall or
 * are done, changed one by one for a new configuration, and drained at the end. The master does
 * nothing else, so that nothing a client sends can reach it. What the children do is theirs.
 */
#ifndef MAPDIARY_RUN_SUPERVISOR_H
#define MAPDIARY_RUN_SUPERVISOR_H

#include "base/status.h"
#include "run/child_kind.h"
#include "run/scoreboard.h"

struct supervisor_options {
    const struct scoreboard *scoreboard; /* made for the kinds */
    const struct config *config;         /* that reload() changes */
    void *context;                       /* of the kinds, and of what follows */

    /** Reads the configuration anew, and has it followed by what is no child. Any status but
     * STATUS_OK, with the reason logged, leaves it as it was. */
    enum status (*reload)(void *context);

    /** All children have the configuration, for the first time. */
    void (*ready)(const void *context);

    /** Writes the line that systemctl(1) shows. */
    void (*describe)(const void *context, char *status, size_t size);

    /** Before the children are told to end: takes nothing new. */
    void (*stopping)(void *context);
};

/**
 * Runs until SIGTERM or SIGINT; then the children finish what they do, for drain_timeout at most.
 * SIGHUP reloads. Answers the exit status: 0 where all ended in time.
 */
int supervisor_run(const struct supervisor_options *options);

#endif
