/*
 * Sending and receiving on a connection that is ready, and giving it up.
 */
#ifndef MAPDIARY_DB_WIRE_H
#define MAPDIARY_DB_WIRE_H

#include <libpq-fe.h>
#include <stdbool.h>

#include "base/status.h"

struct db;

/** Drops the connection: the next db_live() makes another. */
void db_drop(struct db *db);

/** Leaves a replica that does not answer alone for a while, as the primary answers in its place. A
 * primary is always worth a try. */
void db_skip_replica(struct db *db);

/**
 * Waits for the next result in pipeline mode, sending what is still to be sent meanwhile.
 * STATUS_UNAVAILABLE where the connection is lost, or the time is up: then PostgreSQL has been
 * asked to cancel. *result is NULL between the results of two statements. The caller clears the
 * result.
 */
enum status db_next_result(struct db *db, PGresult **result) MUST_CHECK;

/** True where the time of the request is up. */
bool db_is_late(const struct db *db);

#endif
