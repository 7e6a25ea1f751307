/*
 * An attempt to connect: the ways from DB_AWAY to DB_READY (db/internal.h).
 */
#ifndef MAPDIARY_DB_CONNECT_H
#define MAPDIARY_DB_CONNECT_H

#include "db/failure.h"

struct db;

/** Begins an attempt: DB_AWAY becomes DB_CONNECTING. */
void db_attempt_begin(struct db *db);
/** Carries it a step further, when there is something to read or write. */
void db_attempt_advance(struct db *db);
/** The server that it is at does not do: goes on to the next, and backs off after the last. */
void db_attempt_fail(struct db *db, enum db_failure failure, const char *why);

/** Notes for db_reason() why there is no connection. */
void db_set_reason(struct db *db, const char *text);

#endif
