#include "db/connection.h"

#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "db/internal.h"

enum { BACKOFF_LEAST = 100, BACKOFF_MOST = 2000 }; /* milliseconds */

struct db {
    const struct db_options *options;
    PGconn *connection;
    int64_t deadline;     /* of the batch that runs */
    int64_t next_attempt; /* no connection is tried before */
    int64_t backoff;
};

struct db *db_new(const struct db_options *options)
{
    struct db *db = memory_zeroed(1, sizeof *db);
    db->options = options;
    return db;
}

void db_free(struct db **db)
{
    if (*db != NULL)
        db_drop(*db);
    free(*db);
    *db = NULL;
}

void db_drop(struct db *db)
{
    PQfinish(db->connection);
    db->connection = NULL;
}

void db_start_clock(struct db *db)
{
    db->deadline = clock_milliseconds() + db->options->timeout;
}

/* Sends what is left to send and takes what has come, or waits for either. */
static enum status wait_for_server(struct db *db)
{
    int unsent = PQflush(db->connection);
    int64_t left = db->deadline - clock_milliseconds();
    if (unsent < 0)
        return STATUS_UNAVAILABLE;
    if (left <= 0) {
        log_error("database: no answer within %lld ms", (long long)db->options->timeout);
        return STATUS_UNAVAILABLE;
    }
    struct pollfd server = {.fd = PQsocket(db->connection),
                            .events = (short)(POLLIN | (unsent > 0 ? POLLOUT : 0))};
    if (poll(&server, 1, left > 60000 ? 60000 : (int)left) < 0 && errno != EINTR)
        return STATUS_UNAVAILABLE;
    return PQconsumeInput(db->connection) ? STATUS_OK : STATUS_UNAVAILABLE;
}

enum status db_next_result(struct db *db, PGresult **result)
{
    *result = NULL;
    while (PQisBusy(db->connection)) {
        enum status status = wait_for_server(db);
        if (status != STATUS_OK)
            return status;
    }
    *result = PQgetResult(db->connection);
    return STATUS_OK;
}

/* What a server says beside its results: "relation exists, skipping". */
static void notice(void *context, const PGresult *result)
{
    (void)context;
    log_debug("database: %s", PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
}

/* client_encoding comes after the conninfo, so that it wins over it; the rest before, so that the
 * conninfo does. */
static PGconn *open_connection(const char *conninfo)
{
    const char *const names[] = {"fallback_application_name", "connect_timeout", "dbname",
                                 "client_encoding", NULL};
    const char *const values[] = {"mapdiary", "3", conninfo, "UTF8", NULL};
    PGconn *connection = PQconnectdbParams(names, values, 1);
    if (PQstatus(connection) != CONNECTION_OK || PQsetnonblocking(connection, 1) != 0) {
        log_error("database: %s", PQerrorMessage(connection));
        PQfinish(connection);
        return NULL;
    }
    PQsetNoticeReceiver(connection, notice, NULL);
    return connection;
}

/*
 * A batch that only reads is one snapshot without a word said, as it inherits its isolation from
 * here; one that writes asks for another. All look-ups are by key, so the plans are made once.
 */
static const char settings[] =
    "SELECT set_config('search_path', 'mapdiary', false),"
    " set_config('TimeZone', $1, false),"
    " set_config('statement_timeout', $2, false),"
    " set_config('default_transaction_isolation', 'repeatable read', false),"
    " set_config('plan_cache_mode', 'force_generic_plan', false),"
    " set_config('jit', 'off', false)";

static bool send_settings(struct db *db)
{
    char timeout[24];
    snprintf(timeout, sizeof timeout, "%lld", (long long)db->options->timeout);
    const char *const values[] = {db->options->timezone, timeout};
    return PQsendQueryParams(db->connection, settings, 2, NULL, values, NULL, NULL, 1);
}

static bool send_preparations(struct db *db, int *sent)
{
    for (const struct db_statement *const *table = db->options->registry; *table != NULL; table++)
        for (const struct db_statement *statement = *table; statement->name != NULL; statement++) {
            if (!PQsendPrepare(db->connection, statement->name, statement->sql, 0, NULL))
                return false;
            ++*sent;
        }
    return true;
}

/* One result that must be a success, and the NULL after it. */
static enum status expect_success(struct db *db)
{
    PGresult *result = NULL, *end = NULL;
    enum status status = db_next_result(db, &result);
    if (status == STATUS_OK) {
        ExecStatusType outcome = PQresultStatus(result);
        if (outcome != PGRES_COMMAND_OK && outcome != PGRES_TUPLES_OK) {
            log_error("database: %s", PQresultErrorMessage(result));
            status = STATUS_UNAVAILABLE;
        }
    }
    if (status == STATUS_OK)
        status = db_next_result(db, &end);
    PQclear(result);
    PQclear(end);
    return status;
}

/* Settings and preparations in one round trip; the first that fails ends it, and the connection
 * with it. */
static enum status set_up(struct db *db)
{
    int expected = 1;
    PGresult *sync = NULL;
    db_start_clock(db);
    if (!PQenterPipelineMode(db->connection) || !send_settings(db) ||
        !send_preparations(db, &expected) || !PQpipelineSync(db->connection))
        return STATUS_UNAVAILABLE;
    for (int i = 0; i < expected; i++) {
        enum status status = expect_success(db);
        if (status != STATUS_OK)
            return status;
    }
    enum status status = db_next_result(db, &sync);
    PQclear(sync);
    return status;
}

/* Half of the wait is by chance, so that many workers do not come back all at once. */
static void back_off(struct db *db)
{
    db->backoff = db->backoff == 0 ? BACKOFF_LEAST : db->backoff * 2;
    if (db->backoff > BACKOFF_MOST)
        db->backoff = BACKOFF_MOST;
    int64_t half = db->backoff / 2;
    db->next_attempt = clock_milliseconds() + half + randombytes_uniform((uint32_t)half);
}

enum status db_connect(struct db *db)
{
    if (db->connection != NULL)
        return STATUS_OK;
    if (clock_milliseconds() < db->next_attempt)
        return STATUS_UNAVAILABLE;
    db->connection = open_connection(db->options->conninfo);
    if (db->connection == NULL) {
        back_off(db);
        return STATUS_UNAVAILABLE;
    }
    if (db->options->registry != NULL && set_up(db) != STATUS_OK) {
        log_error("database: the connection could not be prepared; is the schema up to date "
                  "(mapdiaryctl migrate --status)?");
        db_drop(db);
        back_off(db);
        return STATUS_UNAVAILABLE;
    }
    db->backoff = 0;
    return STATUS_OK;
}

/* A server that shut down has said so, or closed: an idle connection has nothing else to read. */
static bool was_closed(PGconn *connection)
{
    struct pollfd server = {.fd = PQsocket(connection), .events = POLLIN};
    return poll(&server, 1, 0) > 0 &&
           (!PQconsumeInput(connection) || PQstatus(connection) != CONNECTION_OK ||
            (server.revents & (POLLHUP | POLLERR)) != 0);
}

PGconn *db_live(struct db *db)
{
    if (db->connection != NULL && was_closed(db->connection)) {
        log_notice("database: the server closed the connection");
        db_drop(db);
    }
    return db_connect(db) == STATUS_OK ? db->connection : NULL;
}

enum status db_script(struct db *db, const char *sql)
{
    PGconn *connection = db_live(db);
    if (connection == NULL)
        return STATUS_UNAVAILABLE;
    /* The simple protocol is refused in pipeline mode, in which a prepared connection always is. */
    bool piped = PQpipelineStatus(connection) != PQ_PIPELINE_OFF;
    if (piped && !PQexitPipelineMode(connection))
        return STATUS_INTERNAL;
    PGresult *result = PQexec(connection, sql);
    ExecStatusType outcome = PQresultStatus(result);
    enum status status = STATUS_OK;
    if (outcome != PGRES_COMMAND_OK && outcome != PGRES_TUPLES_OK) {
        log_error("database: %s", PQresultErrorMessage(result));
        status = PQresultErrorField(result, PG_DIAG_SQLSTATE) == NULL ? STATUS_UNAVAILABLE
                                                                      : STATUS_INTERNAL;
    }
    PQclear(result);
    if (piped && !PQenterPipelineMode(connection))
        db_drop(db);
    return status;
}
