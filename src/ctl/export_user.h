/*
 * All that there is of one user, as an archive for that user.
 */
#ifndef MAPDIARY_CTL_EXPORT_USER_H
#define MAPDIARY_CTL_EXPORT_USER_H

#include "cli/command.h"

extern const struct parameter export_user_parameters[];

/** Writes the archive; answers the exit status. */
int export_user(struct invocation *run);

#endif
