#include "ctl/command.h"

#include <stdio.h>

const struct command commands[] = {
    {"migrate", NULL, "[--status]", "bring the schema of the database up to date", command_migrate},
    {"user", "add", "--email ADDRESS --name NAME [--icon ADDRESS]",
     "add an account and print its userID; the password is read from the terminal, or is one line "
     "of standard input",
     command_user_add},
    {"session", "add", "--user ID [--lifetime 30d]",
     "start a session for a user and print its cookies", command_session_add},
    {.group = NULL},
};

int command_usage(const struct command *command)
{
    fprintf(stderr, "usage: mapdiaryctl %s%s%s %s\n", command->group,
            command->verb != NULL ? " " : "", command->verb != NULL ? command->verb : "",
            command->arguments);
    return EXIT_USAGE;
}

enum { PATIENCE = 10000 }; /* milliseconds */

void command_db_open(struct command_db *database, const struct config *config, const char *conninfo,
                     const struct db_statement *const *registry)
{
    /* No limit for what runs: nobody waits for an administrator but the administrator. */
    database->options = (struct db_options){.conninfo = conninfo,
                                            .timezone = config->timezone,
                                            .patience = PATIENCE,
                                            .registry = registry};
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
