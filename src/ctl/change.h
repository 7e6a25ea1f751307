/*
 * Commands that change what is given and leave the rest.
 */
#ifndef MAPDIARY_CTL_CHANGE_H
#define MAPDIARY_CTL_CHANGE_H

#include "cli/command.h"

/** Whether an option says what to change. Logged, where none does: that is EXIT_USAGE. */
bool change_is_given(const struct invocation *run);

/** Holds the transaction of what changes or deletes things that may be published, up to
 * change_finish(), which takes them from their addresses and then commits. Answers the status, or
 * why that could not be done. */
void change_begin(struct invocation *run);
enum status change_finish(struct invocation *run, enum status status,
                          const struct db_rows *published) MUST_CHECK;

/** The middle of that: takes what may be published from its addresses; NULL is fine. */
enum status change_withdraw(struct invocation *run, const struct db_rows *published) MUST_CHECK;

#endif
