/*
 * How the commands are used, in words made from their tables.
 */
#ifndef MAPDIARY_CLI_HELP_H
#define MAPDIARY_CLI_HELP_H

#include "base/buffer.h"
#include "cli/command.h"

/** The groups, a line each. */
void help_print_groups(const struct command_group *groups, FILE *out);
/** The commands of a group, a line each. */
void help_print_group(const struct command_group *group, FILE *out);
/** All about a command. */
void help_print_command(const struct command_group *group, const struct command *command,
                        FILE *out);

#endif
