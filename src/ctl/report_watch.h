/*
 * Shows reports as they come.
 */
#ifndef MAPDIARY_CTL_REPORT_WATCH_H
#define MAPDIARY_CTL_REPORT_WATCH_H

#include "cli/command.h"

/** Until whoever reads them is gone, or the process is ended. Answers the exit status. */
int report_watch_run(struct invocation *run, const char *const *columns);

#endif
