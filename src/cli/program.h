/*
 * A program of commands: finds the one that is asked for, gives it what it works with, and runs it.
 */
#ifndef MAPDIARY_CLI_PROGRAM_H
#define MAPDIARY_CLI_PROGRAM_H

#include "cli/command.h"

/* What a program gives the toolkit, which knows no table of the database. */
struct program {
    const struct command_group *groups;         /* ended by a row without name */
    const struct db_statement *const *registry; /* statements that its commands send */
    /** The identifier of the user who has this one, or where it is 0, this email address.
     * STATUS_USER_NOT_FOUND. */
    enum status (*find_user)(struct db_batch *batch, int64_t user_id, const char *email,
                             int64_t *found);
};

/** Runs what the words say (without options of the program itself); answers the exit status. */
int program_run(const struct program *program, const char *config_path, int argc, char **argv);

#endif
