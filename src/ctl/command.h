/*
 * The commands of mapdiaryctl. Each file of this folder has one group of them.
 */
#ifndef MAPDIARY_CTL_COMMAND_H
#define MAPDIARY_CTL_COMMAND_H

#include "base/config.h"
#include "db/batch.h"

enum { EXIT_USAGE = 64 }; /* EX_USAGE of sysexits.h */

struct command {
    const char *group; /* "user" */
    const char *verb;  /* "add"; NULL where the group is a command itself */
    const char *arguments;
    const char *summary;
    /* Arguments as main()'s, from the last word of the command on. Answers the exit status. */
    int (*run)(const struct command *command, const struct config *config, int argc, char **argv);
};

/** Ended by a row without group. */
extern const struct command commands[];

int command_migrate(const struct command *command, const struct config *config, int argc,
                    char **argv);
int command_user_add(const struct command *command, const struct config *config, int argc,
                     char **argv);
int command_session_add(const struct command *command, const struct config *config, int argc,
                        char **argv);

/** Says how the command is used, on standard error; answers EXIT_USAGE. */
int command_usage(const struct command *command);

/* A connection for one command, with a batch on it. */
struct command_db {
    struct db_options options;
    struct db *db;
    struct arena *arena;
    struct db_batch *batch;
};

/** Prepares for the connection string and statements; connects when it is first used. */
void command_db_open(struct command_db *database, const struct config *config, const char *conninfo,
                     const struct db_statement *const *registry);
void command_db_close(struct command_db *database);

#endif
