/*
 * Changes of the schema beside programs that read it.
 */
#ifndef MAPDIARY_CTL_PATIENCE_H
#define MAPDIARY_CTL_PATIENCE_H

#include "cli/command.h"

typedef enum status patience_attempt(void *context);

/** Tries a transaction, which waits for a lock for a second at most, until no other program keeps
 * such a lock, for a minute. Between two tries, requests behind the lock have their turn. The
 * registry of the connection has the statements of migrations. If others keep the locks to the
 * end, they are logged with the command that is to be repeated then, and the result is
 * STATUS_UNAVAILABLE. */
enum status patience_try(const struct command_db *db, patience_attempt *attempt, void *context,
                         const char *command) MUST_CHECK;

#endif
