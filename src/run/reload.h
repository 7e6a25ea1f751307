/*
 * A reload that somebody waits for. The option --reload of mapdiaryd and mapdiary-mail asks the
 * master of the service, or the sender of mails, by a signal that the kernel queues, so that no
 * question is lost. The answer is a signal that is ignored by default, as the process that asked
 * may have ended, and another one may have its number.
 */
#ifndef MAPDIARY_RUN_RELOAD_H
#define MAPDIARY_RUN_RELOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#define RELOAD_ASKED SIGRTMIN

/** The process that a word names, or 0 if the word names none that can be asked. */
pid_t reload_process(const char *word);

/** Has this master reload, and waits until all processes have the new configuration. False, logged,
 * where it cannot, or the master says that it is not changed. */
bool reload_ask(pid_t master);

/** For the master. */
void reload_answer(pid_t asker, bool is_done);

#endif
