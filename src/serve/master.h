/*
 * The master of the service: what its children share, and which there are. The rest is the
 * supervisor's.
 */
#ifndef MAPDIARY_SERVE_MASTER_H
#define MAPDIARY_SERVE_MASTER_H

#include "api/operation.h"
#include "base/config.h"
#include "db/statement.h"
#include "serve/listener.h"

struct master_options {
    struct config *config; /* replaced at SIGHUP by what was read, if it is good */
    const char *config_path;
    enum status (*read_config)(struct config *config, const char *path);
    const struct operation *operations;
    const struct db_statement *const *registry;
    struct listener *listener;
};

/** Serves as supervisor_run() says. */
int master_run(const struct master_options *options);

#endif
