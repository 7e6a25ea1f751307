#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"

enum { PATIENCE = 10000 }; /* milliseconds */

struct list_part part_of(const struct value *values)
{
    return (struct list_part){.most = values[0].number, .after = values[1].number};
}

void command_db_open(struct command_db *database, const struct config *config, const char *conninfo,
                     const struct db_statement *const *registry)
{
    database->settings[0] = (struct db_setting){"mapdiary.public_url", config->site};
    database->settings[1] = (struct db_setting){NULL, NULL};
    /* There is no limit of time: nobody waits for an administrator but the administrator. */
    database->options = (struct db_options){.conninfo = conninfo,
                                            .timezone = config->timezone,
                                            .settings = database->settings,
                                            .patience = PATIENCE,
                                            .unprepared = true,
                                            .registry = registry,
                                            .use = DB_ADMIN};
    database->db = db_new(&database->options);
    database->arena = arena_new();
    database->batch = db_batch_new(database->db, database->arena);
}

void command_db_close(struct command_db *database)
{
    db_batch_reset(database->batch);
    db_free(&database->db);
    arena_free(&database->arena);
}

void command_print(enum status status, int64_t number)
{
    if (status == STATUS_OK)
        printf("%lld\n", (long long)number);
}

int command_end(enum status status, const char *format, ...)
{
    char what[512];
    va_list arguments;
    if (status == STATUS_OK)
        return EXIT_DONE;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    log_error("%s: %s", what, status_text(status));
    return (int)exit_status_of(status);
}
