#include "store/trial.h"

#include <stdio.h>

#include "store/registry.h"

enum db_failure trial_connect(const struct config *config, const char *conninfo, int64_t patience,
                              char reason[static TRIAL_REASON_SIZE])
{
    const struct db_options options = {.conninfo = conninfo,
                                       .timezone = config->timezone,
                                       .timeout = patience,
                                       .quiet = true,
                                       .registry = store_registry,
                                       .use = DB_SERVICE};
    struct db *db = db_new(&options);
    bool is_silent = db_connect_within(db, patience) != STATUS_OK && *db_reason(db) == '\0';
    enum db_failure failure = is_silent ? DB_FAILURE_AWAY : db_failure(db);
    snprintf(reason, TRIAL_REASON_SIZE, "%s",
             is_silent ? "the server does not answer" : db_reason(db));
    db_free(&db);
    return failure;
}

void trial_open(struct trial *trial, const char *conninfo,
                const struct db_statement *const *registry)
{
    /* Whatever time zone the configuration has: one that everybody knows. */
    trial->options = (struct db_options){.conninfo = conninfo,
                                         .timezone = "UTC",
                                         .timeout = TRIAL_PATIENCE,
                                         .patience = TRIAL_PATIENCE,
                                         .quiet = true,
                                         .unprepared = true,
                                         .registry = registry,
                                         .use = DB_ADMIN};
    trial->db = db_new(&trial->options);
    trial->arena = arena_new();
    trial->batch = db_batch_new(trial->db, trial->arena);
}

void trial_close(struct trial *trial)
{
    db_batch_reset(trial->batch);
    db_free(&trial->db);
    arena_free(&trial->arena);
}
