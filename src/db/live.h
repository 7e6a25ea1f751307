/*
 * The connection of libpq for whoever is about to send something on it.
 */
#ifndef MAPDIARY_DB_LIVE_H
#define MAPDIARY_DB_LIVE_H

#include <libpq-fe.h>

#include "db/connection.h"

/** The connection, made now if there is none and the back-off allows it; else NULL. */
PGconn *db_live(struct db *db);
/** The connection that has a transaction open; NULL, logged, where that was lost. */
PGconn *db_transaction(struct db *db);

#endif
