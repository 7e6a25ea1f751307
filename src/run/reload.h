/*
 * A reload that somebody waits for. mapdiaryd --reload asks the master by a signal that the kernel
 * queues, so that no question is lost. The master answers by a signal that is ignored by default,
 * as the process that asked may have ended, and another one may have its number.
 */
#ifndef MAPDIARY_RUN_RELOAD_H
#define MAPDIARY_RUN_RELOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#define RELOAD_ASKED SIGRTMIN

/** Has this master reload, and waits until all processes have the new configuration. False, logged,
 * where it cannot, or the master says that it is not changed. */
bool reload_ask(pid_t master);

/** For the master. */
void reload_answer(pid_t asker, bool is_done);

#endif
