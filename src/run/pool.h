/*
 * The pool: as many workers as configured, replaced when they die, stall or wear out, changed one
 * by one for a new configuration, and drained at the end. The master does nothing else, so that
 * nothing a client sends can reach it.
 */
#ifndef MAPDIARY_RUN_POOL_H
#define MAPDIARY_RUN_POOL_H

#include "api/operation.h"
#include "base/config.h"
#include "db/statement.h"
#include "serve/listener.h"

struct pool_options {
    struct config *config; /* replaced at SIGHUP by what was read, if it is good */
    const char *config_path;
    enum status (*read_config)(struct config *config, const char *path);
    const struct operation *operations;
    const struct db_statement *const *registry;
    struct listener *listener;
};

/**
 * Serves until SIGTERM or SIGINT; then the workers finish what they do, for drain_timeout at most.
 * SIGHUP reads the configuration again. Answers the exit status: 0 where all ended in time.
 */
int pool_run(const struct pool_options *options);

#endif
