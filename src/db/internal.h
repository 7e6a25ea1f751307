/*
 * What the files of db/ share and nobody else sees.
 */
#ifndef MAPDIARY_DB_INTERNAL_H
#define MAPDIARY_DB_INTERNAL_H

#include <libpq-fe.h>

#include "base/status.h"
#include "db/connection.h"

struct db_rows {
    PGresult *result;
};

/** The connection, made now if there is none and the back-off allows it; else NULL. */
PGconn *db_live(struct db *db);
/** Drops the connection: the next db_live() makes another. */
void db_drop(struct db *db);

/**
 * Waits for the next result in pipeline mode, sending what is still to be sent meanwhile.
 * STATUS_UNAVAILABLE where the connection is lost or the time is up; *result is NULL between the
 * results of two statements. The caller clears the result.
 */
enum status db_next_result(struct db *db, PGresult **result) MUST_CHECK;

/** Starts the clock of db_next_result(). */
void db_start_clock(struct db *db);

#endif
