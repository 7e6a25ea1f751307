/*
 * Connection strings of libpq.
 */
#ifndef MAPDIARY_DB_CONNINFO_H
#define MAPDIARY_DB_CONNINFO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"

/** STATUS_INTERNAL where libpq does not understand the connection string; then reason says why,
 * without what may be a password. */
enum status db_check_conninfo(const char *conninfo, char *reason, size_t size) MUST_CHECK;

/** What a connection string says for a keyword ("user"), in the arena; NULL where it says nothing
 * or cannot be read. */
const char *db_conninfo_value(const char *conninfo, const char *keyword, struct arena *arena);

/** True where it leads to the unix socket of this machine without a password: there PostgreSQL
 * knows a role by the name of the user (peer authentication), as Debian sets it up. */
bool db_conninfo_is_local(const char *conninfo);

/** True if it leads to this machine, through a socket or by an address of the loopback. */
bool db_conninfo_is_here(const char *conninfo);

/** The connection string of another role for the same database, without the password, in the arena.
 * On this machine it leads through the socket, where PostgreSQL can know a role by its user. A role
 * of NULL is the one of the user who connects. */
const char *db_conninfo_for_role(const char *conninfo, const char *role, struct arena *arena);

/** A keyword and its value as a part of a connection string, in the arena. */
const char *db_conninfo_part(const char *keyword, const char *value, struct arena *arena);

#endif
