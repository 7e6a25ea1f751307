/*
 * Tells who called a command that only another user can run.
 */
#ifndef MAPDIARY_CLI_CALLER_H
#define MAPDIARY_CLI_CALLER_H

#include "base/arena.h"
#include "db/connection.h"

/** Of a configuration that cannot be read: logs it where another may read it. */
void caller_explain_config(const char *path);

/** Of a connection: logs it where PostgreSQL refused it, and would have known another user. */
void caller_explain_refusal(const struct db *db, const char *conninfo, struct arena *arena);

#endif
