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

/* The way to a connection that can be used. */
enum db_phase {
    DB_AWAY,       /* none; the next attempt is at next_attempt */
    DB_CONNECTING, /* PQconnectPoll() has more to do */
    DB_PREPARING,  /* settings and statements were sent, and not all are acknowledged */
    DB_READY
};

struct db {
    const struct db_options *options;
    PGconn *connection;
    enum db_phase phase;
    PostgresPollingStatusType polling; /* DB_CONNECTING: what PQconnectPoll() waits for */
    int unacknowledged;                /* DB_PREPARING: results that are still to come */
    int64_t attempt_at;                /* when the attempt began */
    int64_t next_attempt;              /* no other is made before */
    int64_t backoff;                   /* 0: the last attempt succeeded */
    int64_t deadline;                  /* of the request; 0: none */
    char identifier[80];               /* of the request, as application_name shows it */
    char reason[256];
};

/** The connection, made now if there is none and the back-off allows it; else NULL. */
PGconn *db_live(struct db *db);
/** Drops the connection: the next db_live() makes another. */
void db_drop(struct db *db);

/**
 * Waits for the next result in pipeline mode, sending what is still to be sent meanwhile.
 * STATUS_UNAVAILABLE where the connection is lost, or the time is up: then PostgreSQL has been
 * asked to cancel. *result is NULL between the results of two statements. The caller clears the
 * result.
 */
enum status db_next_result(struct db *db, PGresult **result) MUST_CHECK;

/** True where the time of the request is up. */
bool db_is_late(const struct db *db);

/** Adds one to a counter of the options, if anybody watches. */
#define db_count(db, field)                                                                      \
    do {                                                                                         \
        if ((db)->options->counters != NULL)                                                     \
            atomic_fetch_add_explicit(&(db)->options->counters->field, 1, memory_order_relaxed); \
    } while (0)

/** Sends settings and preparations; false where the connection is lost. */
bool db_setup_send(struct db *db);
/** Takes what has come of their acknowledgements; false, with the reason, where one is a refusal.
 */
bool db_setup_take(struct db *db, char *reason, size_t size);

/** Asks PostgreSQL to cancel what the connection runs; does not wait for it. */
void db_cancel(PGconn *connection);

#endif
