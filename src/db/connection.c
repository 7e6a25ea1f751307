#include "db/connection.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "db/internal.h"

enum {
    BACKOFF_LEAST = 100, /* milliseconds */
    BACKOFF_MOST = 2000,
    SPREAD = 100,        /* over which idle workers come back that lost their connections at once */
    ATTEMPT_MOST = 5000, /* that a server may take to accept a connection */
};

enum status db_check_conninfo(const char *conninfo, char *reason, size_t size)
{
    char *error = NULL;
    PQconninfoOption *options = PQconninfoParse(conninfo, &error);
    enum status status = options != NULL ? STATUS_OK : STATUS_INTERNAL;
    if (options == NULL)
        snprintf(reason, size, "%s", error != NULL ? error : "out of memory");
    PQconninfoFree(options);
    PQfreemem(error);
    return status;
}

struct db *db_new(const struct db_options *options)
{
    struct db *db = memory_zeroed(1, sizeof *db);
    db->options = options;
    return db;
}

void db_free(struct db **db)
{
    if (*db != NULL)
        PQfinish((*db)->connection);
    free(*db);
    *db = NULL;
}

void db_drop(struct db *db)
{
    if (db->phase == DB_READY)
        db_count(db, lost_connections);
    PQfinish(db->connection);
    db->connection = NULL;
    db->phase = DB_AWAY;
}

bool db_is_ready(const struct db *db)
{
    return db->phase == DB_READY;
}

const char *db_reason(const struct db *db)
{
    return db->reason;
}

int db_backend(const struct db *db)
{
    return db->phase == DB_READY ? PQbackendPID(db->connection) : 0;
}

void db_start_request(struct db *db, const char *identifier)
{
    if (db->options->timeout > 0)
        db->deadline = clock_milliseconds() + db->options->timeout;
    if (db->options->trace)
        snprintf(db->identifier, sizeof db->identifier, "mapdiary %s", identifier);
}

/* Making a connection ------------------------------------------------------------------------- */

/* What a server says beside its results: "relation exists, skipping". */
static void notice(void *context, const PGresult *result)
{
    (void)context;
    log_debug("database: %s", PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
}

/* client_encoding comes after the conninfo, so that it wins over it; the rest before, so that the
 * conninfo does. */
static PGconn *start_connection(const char *conninfo)
{
    const char *const names[] = {"fallback_application_name", "dbname", "client_encoding", NULL};
    const char *const values[] = {"mapdiary", conninfo, "UTF8", NULL};
    PGconn *connection = PQconnectStartParams(names, values, 1);
    if (connection == NULL) {
        log_error("database: out of memory");
        abort();
    }
    PQsetNoticeReceiver(connection, notice, NULL);
    return connection;
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

/* Messages of libpq end in a line feed and may have several lines. */
static void set_reason(struct db *db, const char *text)
{
    snprintf(db->reason, sizeof db->reason, "%s", text);
    for (char *at = db->reason; *at != '\0'; at++)
        if (*at == '\n' || *at == '\t')
            *at = at[1] == '\0' ? '\0' : ' ';
}

/* The attempt came to nothing. What it says again and again is logged once. */
static void fail_attempt(struct db *db, const char *why)
{
    char before[sizeof db->reason];
    memcpy(before, db->reason, sizeof before);
    set_reason(db, why);
    if (strcmp(db->reason, before) != 0)
        log_error("database: %s", db->reason);
    db_count(db, failed_connections);
    db_drop(db);
    back_off(db);
}

static void fail_connecting(struct db *db)
{
    fail_attempt(db, PQerrorMessage(db->connection));
}

static void begin_attempt(struct db *db)
{
    db->attempt_at = clock_milliseconds();
    db->connection = start_connection(db->options->conninfo);
    db->phase = DB_CONNECTING;
    db->polling = PGRES_POLLING_WRITING;
    if (PQstatus(db->connection) == CONNECTION_BAD)
        fail_connecting(db);
}

static void become_ready(struct db *db)
{
    if (*db->reason != '\0')
        log_notice("database: connected again");
    *db->reason = '\0';
    db->phase = DB_READY;
    db->backoff = 0;
    db_count(db, connections);
}

static void begin_preparing(struct db *db)
{
    db->phase = DB_PREPARING;
    if (PQsetnonblocking(db->connection, 1) != 0)
        fail_connecting(db);
    else if (db->options->registry == NULL)
        become_ready(db);
    else if (!db_setup_send(db))
        fail_connecting(db);
}

static void advance_connecting(struct db *db)
{
    db->polling = PQconnectPoll(db->connection);
    if (db->polling == PGRES_POLLING_FAILED)
        fail_connecting(db);
    else if (db->polling == PGRES_POLLING_OK)
        begin_preparing(db);
}

static void advance_preparing(struct db *db)
{
    char reason[sizeof db->reason];
    if (!db_setup_take(db, reason, sizeof reason))
        fail_attempt(db, reason);
    else if (db->unacknowledged == 0)
        become_ready(db);
}

/* A server that shut down has said so, or closed: an idle connection has nothing else to read. */
static void notice_loss(struct db *db, short events)
{
    bool lost = !PQconsumeInput(db->connection) || PQstatus(db->connection) != CONNECTION_OK ||
                (events & (POLLHUP | POLLERR)) != 0;
    if (!lost)
        return;
    log_notice("database: the server closed the connection");
    set_reason(db, "the server closed the connection");
    db_drop(db);
    db->next_attempt = clock_milliseconds() + randombytes_uniform(SPREAD);
}

int64_t db_wants(const struct db *db, struct pollfd *server)
{
    int64_t now = clock_milliseconds();
    int64_t wait =
        db->phase == DB_AWAY ? db->next_attempt - now : db->attempt_at + ATTEMPT_MOST - now;
    *server = (struct pollfd){.fd = -1};
    if (db->phase != DB_AWAY) {
        bool writes = db->phase == DB_CONNECTING && db->polling == PGRES_POLLING_WRITING;
        server->fd = PQsocket(db->connection);
        server->events = writes ? POLLOUT : POLLIN;
    }
    if (db->phase == DB_READY)
        return -1;
    return wait > 0 ? wait : 0;
}

void db_advance(struct db *db)
{
    struct pollfd server;
    int64_t wait = db_wants(db, &server);
    if (db->phase == DB_AWAY) {
        if (wait == 0)
            begin_attempt(db);
        return;
    }
    if (poll(&server, 1, 0) > 0) {
        if (db->phase == DB_CONNECTING)
            advance_connecting(db);
        else if (db->phase == DB_PREPARING)
            advance_preparing(db);
        else
            notice_loss(db, server.revents);
    } else if (wait == 0) {
        fail_attempt(db, "the server does not answer");
    }
}

/* Whoever needs a connection that was lost a moment ago does not wait for its turn. */
static void begin_at_need(struct db *db)
{
    if (db->phase == DB_AWAY && (db->backoff == 0 || clock_milliseconds() >= db->next_attempt))
        begin_attempt(db);
}

static void wait_for_attempt(struct db *db, int64_t left)
{
    struct pollfd server;
    int64_t wait = db_wants(db, &server);
    poll(&server, 1, (int)(wait >= 0 && wait < left ? wait : left));
}

enum status db_connect(struct db *db)
{
    begin_at_need(db);
    for (;;) {
        int64_t left = db->attempt_at + db->options->patience - clock_milliseconds();
        if (db->phase == DB_READY)
            return STATUS_OK;
        if (db->phase == DB_AWAY || left <= 0)
            return STATUS_UNAVAILABLE;
        wait_for_attempt(db, left);
        db_advance(db);
    }
}

PGconn *db_live(struct db *db)
{
    if (db->phase == DB_READY)
        db_advance(db);
    return db_connect(db) == STATUS_OK ? db->connection : NULL;
}

/* Using it --------------------------------------------------------------------------------------
 */

bool db_is_late(const struct db *db)
{
    return db->deadline != 0 && clock_milliseconds() >= db->deadline;
}

static int milliseconds_left(const struct db *db)
{
    int64_t left = db->deadline - clock_milliseconds();
    if (db->deadline == 0 || left > 60000)
        return 60000;
    return left > 0 ? (int)left : 0;
}

/* Sends what is left to send and takes what has come, or waits for either. */
static enum status wait_for_server(struct db *db)
{
    int unsent = PQflush(db->connection);
    int left = milliseconds_left(db);
    if (unsent < 0)
        return STATUS_UNAVAILABLE;
    if (left == 0) {
        log_error("database: no answer within %lld ms; cancelling",
                  (long long)db->options->timeout);
        db_count(db, cancels);
        db_cancel(db->connection);
        return STATUS_UNAVAILABLE;
    }
    struct pollfd server = {.fd = PQsocket(db->connection),
                            .events = (short)(POLLIN | (unsent > 0 ? POLLOUT : 0))};
    if (poll(&server, 1, left) < 0 && errno != EINTR)
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
        const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
        bool passing = state == NULL || strncmp(state, "40", 2) == 0; /* transaction rollback */
        status = passing ? STATUS_UNAVAILABLE : STATUS_INTERNAL;
    }
    PQclear(result);
    if (piped && !PQenterPipelineMode(connection))
        db_drop(db);
    return status;
}
