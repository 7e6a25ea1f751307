/*
 * Connection strings of libpq.
 */
#ifndef MAPDIARY_DB_CONNINFO_H
#define MAPDIARY_DB_CONNINFO_H

#include "base/arena.h"

/** What a connection string says for a keyword ("user"), in the arena; NULL where it says nothing
 * or cannot be read. */
const char *db_conninfo_value(const char *conninfo, const char *keyword, struct arena *arena);

#endif
