/*
 * Commands that change what is given and leave the rest.
 */
#ifndef MAPDIARY_CTL_CHANGE_H
#define MAPDIARY_CTL_CHANGE_H

#include "cli/command.h"

/** Whether an option says what to change. Logged, where none does: that is EXIT_USAGE. */
bool change_is_given(const struct invocation *run);

#endif
