/*
 * Cancelling a query (PostgreSQL manual, 34.7 "Canceling Queries in Progress").
 */
#ifndef MAPDIARY_DB_CANCEL_H
#define MAPDIARY_DB_CANCEL_H

#include <libpq-fe.h>

/** Asks PostgreSQL to cancel what the connection runs; does not wait for it. */
void db_cancel(PGconn *connection);

#endif
