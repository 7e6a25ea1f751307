/*
 * Compares the processes that two connections are served by.
 */
#include "db/pooler.h"

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRIES = 10 };

static const char which_backend[] = "SELECT pg_backend_pid()";

static PGconn *connect_once(const char *conninfo)
{
    const char *const names[] = {"fallback_application_name", "connect_timeout", "dbname", NULL};
    const char *const values[] = {"mapdiary", "2", conninfo, NULL};
    PGconn *connection = PQconnectdbParams(names, values, 1);
    if (PQstatus(connection) == CONNECTION_OK)
        return connection;
    PQfinish(connection);
    return NULL;
}

/* The process that serves the connection right now; 0 where it does not say. */
static int ask_backend(PGconn *connection)
{
    PGresult *result = PQexec(connection, which_backend);
    int backend = PQntuples(result) == 1 ? atoi(PQgetvalue(result, 0, 0)) : 0;
    PQclear(result);
    return backend;
}

/* A pooler tells its clients numbers of its own. */
static bool is_pooled(PGconn *connection)
{
    int backend = ask_backend(connection);
    return backend != 0 && backend != PQbackendPID(connection);
}

/* As long as a session is ours alone, nobody else is served by its process, nor we by another. One
 * that is shared may look like it by chance, but not again and again. */
static bool is_shared(PGconn *ours, PGconn *other)
{
    int backend = ask_backend(ours), theirs = 0, now = backend;
    for (int i = 0; i < TRIES && now == backend && theirs != backend; i++) {
        theirs = ask_backend(other);
        now = ask_backend(ours);
    }
    return backend != 0 && now != 0 && (now != backend || theirs == backend);
}

enum status db_check_pooler(const char *conninfo, char *reason, size_t size)
{
    PGconn *ours = connect_once(conninfo);
    PGconn *other = ours != NULL && is_pooled(ours) ? connect_once(conninfo) : NULL;
    bool shared = other != NULL && is_shared(ours, other);
    PQfinish(ours);
    PQfinish(other);
    if (!shared)
        return STATUS_OK;
    snprintf(reason, size,
             "a pooler shares the sessions of PostgreSQL out by transaction; set PgBouncer's "
             "pool_mode = session");
    return STATUS_INTERNAL;
}
