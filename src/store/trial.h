/*
 * A connection to ask PostgreSQL by whether settings work with it: what is asked takes seconds at
 * most, and nothing is logged of a connection that cannot be made.
 */
#ifndef MAPDIARY_STORE_TRIAL_H
#define MAPDIARY_STORE_TRIAL_H

#include "base/config.h"
#include "db/batch.h"

enum {
    TRIAL_PATIENCE = 5000, /* milliseconds, for a connection as for what is asked on it */
    TRIAL_REASON_SIZE = 256,
};

/**
 * Connects as a worker does, for so many milliseconds at most (beside those for the address of a
 * name), and lets go. DB_FAILURE_NONE where it could begin its work; else the reason, too.
 */
enum db_failure trial_connect(const struct config *config, const char *conninfo, int64_t patience,
                              char reason[static TRIAL_REASON_SIZE]);

/* For statements that no worker has. */
struct trial {
    struct db_options options;
    struct db *db;
    struct arena *arena;
    struct db_batch *batch;
};

void trial_open(struct trial *trial, const char *conninfo,
                const struct db_statement *const *registry);
void trial_close(struct trial *trial);

#endif
