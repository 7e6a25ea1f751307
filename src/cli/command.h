/*
 * Commands, declared: a table of groups, each with its commands, each with the parameters that it
 * takes. Parsing, --help, the completion of the shell and the manual page are all made from it.
 */
#ifndef MAPDIARY_CLI_COMMAND_H
#define MAPDIARY_CLI_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "base/value.h"
#include "cli/exit.h"
#include "cli/output.h"
#include "db/batch.h"
#include "model/list_part.h"
#include "model/subject.h"
#include "model/text.h"

/* An option or an operand. */
struct parameter {
    const char *name;       /* "email" of --email; of an operand what stands for it: "ALBUM" */
    struct value_type type; /* of a user, the command gets the identifier of one that exists */
    bool from_input;        /* "-" stands for what standard input has */
    bool operand;
    bool required;
    bool is_condition; /* of what is changed: change_is_given() passes it over */
    bool many;         /* may stand more than once; of operands, the last takes all that is left */
    const char *value; /* of an option, what stands for its value: "ADDRESS" */
    const char *meaning;
};

#define OPERAND .operand = true, .required = true
#define ID_OPERAND(word, says) \
    {.name = word, .type = {VALUE_INTEGER, ID_RANGE}, OPERAND, .meaning = says}
#define USER_OPTION(option, says)                                  \
    .name = option, .type = {.kind = VALUE_USER}, .value = "USER", \
    .meaning = says ": identifier or email address"
/* The two options of a list by which a part of it is asked for: part_of(). */
#define PART_PARAMETERS                     \
    {.name = "limit",                       \
     .type = {VALUE_INTEGER, ID_RANGE},     \
     .value = "N",                          \
     .meaning = "at most so many"},         \
        {.name = "after",                   \
         .type = {VALUE_INTEGER, ID_RANGE}, \
         .value = "N",                      \
         .meaning = "only those behind this identifier"}
#define PARAMETERS_END {.name = NULL}

enum { PARAMETERS_MOST = 16 };

/* The value that a parameter was given. */
struct value {
    const char *text;     /* NULL where it was not given; of a choice, the word of the table */
    int64_t number;       /* of integers, durations, users and subjects; of a choice, its index */
    enum subject subject; /* of a subject */
    /* All texts, in their order, and their numbers where the parameter may stand more than once. */
    const char *const *texts;
    const int64_t *numbers;
    size_t count;
};

/** The part of a list that PART_PARAMETERS ask for, whose values are these. */
struct list_part part_of(const struct value *values);

struct invocation;

/* The output of a command: of a list, it writes only the items. */
enum shown { SHOWS_NOTHING, SHOWS_ONE, SHOWS_LIST };

struct command {
    const char *name; /* "add"; NULL where the group is a command itself */
    const char *summary;
    const char *details; /* more about it for --help and the manual; may be NULL */
    const struct parameter *parameters;
    const struct parameter *columns; /* of the rows that it reads from a file; may be NULL */
    enum shown shows;                /* takes --json, if anything */
    const char *destroys; /* what, as in "deletes the account": takes --yes, asks without it */
    bool needs_no_config; /* runs without a configuration file */
    bool has_own_user;    /* root goes on as another than the service's user: base/user.h */
    int (*run)(struct invocation *invocation);
};

#define COMMANDS_END {.run = NULL}

struct command_group {
    const char *name;
    const char *summary;
    const struct command *commands; /* ended by COMMANDS_END */
};

struct program;

/* A command that runs: its values, and its means. */
struct invocation {
    const struct program *program;
    const struct command_group *group;
    const struct command *command;
    const struct value *values; /* by the index of the command's parameters */
    const char *config_path;
    struct config config; /* of a command that needs one */
    struct output *out;   /* of a command that shows something */
    struct arena *arena;
    struct db *db;          /* of the service's role; connects when it is first used */
    struct db_batch *batch; /* on it */
};

/**
 * Logs the failure of something, "album 7: ALBUM NOT FOUND", unless the status is STATUS_OK.
 * Answers the exit status either way.
 */
int command_end(enum status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Prints a number, such as an identifier, as a line of the command's output, if the status is
 * STATUS_OK. */
void command_print(enum status status, int64_t number);

/* A connection of its own for a command that needs another one. */
struct command_db {
    struct db_setting settings[2];
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
