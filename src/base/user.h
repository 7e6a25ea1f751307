/*
 * As whom a program acts that root has run: as the user of the service, or of PostgreSQL, whom they
 * know; but what the caller names, such as a file, is the caller's business.
 *
 * Only the effective user changes (credentials(7)), so this is no protection from what the program
 * itself does.
 */
#ifndef MAPDIARY_BASE_USER_H
#define MAPDIARY_BASE_USER_H

#include <stdbool.h>

/** True where the process acts as root. */
bool user_is_root(void);

/** The name of the user whom the process acts as; "?" where it has none. Until the next call. */
const char *user_name(void);

/** Root goes on as that user; nobody else does, nor is there need to. False, logged, where there is
 * no such user. */
bool user_become(const char *name);

/** The same, as whoever owns that folder; as root where there is none. */
bool user_become_owner(const char *folder);

/** Acts as the caller until user_resume(); errno stays. Without user_become(), the two do nothing.
 */
void user_return(void);
void user_resume(void);

#endif
