/*
 * What a new connection is sent before it is used: settings and statements to prepare.
 */
#ifndef MAPDIARY_DB_SETUP_H
#define MAPDIARY_DB_SETUP_H

#include <stdbool.h>
#include <stddef.h>

struct db;

/* Prepared as well: READ COMMITTED, and its end. */
#define DB_BEGIN "begin"
#define DB_COMMIT "commit"

/** Sends settings and preparations; false where the connection is lost. */
bool db_setup_send(struct db *db);
/** Takes what has come of their acknowledgements; false, with the reason, where one is a refusal,
 * or the server is not what target_session_attrs asks for. */
bool db_setup_take(struct db *db, char *reason, size_t size);
/** True once all has been acknowledged. */
bool db_setup_is_done(const struct db *db);

#endif
