/*
 * A connection to PostgreSQL with its prepared statements. It is made when it is first needed,
 * after the fork, and made anew when it was lost; while the database is away, attempts back off and
 * everything else is refused at once.
 */
#ifndef MAPDIARY_DB_CONNECTION_H
#define MAPDIARY_DB_CONNECTION_H

#include <stdint.h>

#include "base/status.h"
#include "db/statement.h"

struct db_options {
    const char *conninfo; /* of libpq: PostgreSQL manual, 34.1.1 */
    const char *timezone; /* IANA name, in which current_date and casts to date are meant */
    int64_t timeout;      /* milliseconds that a batch may take */
    /* Tables of statements, ended by NULL; NULL where none are to be prepared. */
    const struct db_statement *const *registry;
};

struct db;

/** Does not connect yet. The options must outlive the connection. */
struct db *db_new(const struct db_options *options);
/** Closes and sets the pointer to NULL; a NULL inside is fine. */
void db_free(struct db **db);

/** Connects now, if that is not done. STATUS_UNAVAILABLE where it fails; the reason is logged. */
enum status db_connect(struct db *db) MUST_CHECK;

/**
 * Runs SQL of several statements as the simple protocol does, outside of batches: for migrations.
 * The error is logged with its position. STATUS_INTERNAL where PostgreSQL refuses it,
 * STATUS_UNAVAILABLE where the connection is lost.
 */
enum status db_script(struct db *db, const char *sql) MUST_CHECK;

#endif
