/*
 * The words behind a command, read as its table of parameters says.
 */
#ifndef MAPDIARY_CLI_ARGUMENTS_H
#define MAPDIARY_CLI_ARGUMENTS_H

#include "cli/command.h"

struct arguments {
    struct value values[PARAMETERS_MOST];
    bool help;
    bool json;
    bool yes;
};

/**
 * Reads main()'s arguments, of which the first is not looked at. Texts belong to argv or to the
 * arena. STATUS_PARAMETER_INVALID where they are wrong; the reason is logged.
 */
enum status arguments_read(const struct command *command, struct arena *arena, int argc,
                           char **argv, struct arguments *arguments) MUST_CHECK;

/** The options that a command has beside its own, of --json, --yes, --help; ended by NULL. */
const struct parameter *const *arguments_common(const struct command *command);

#endif
