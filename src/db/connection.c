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
    SPREAD = 100,       /* over which idle workers come back that lost their connections at once */
    SERVER_MOST = 5000, /* that a server may take to accept a connection, without connect_timeout */
    SKIP = 10000,       /* how long others are tried in the place of a server that does not do */
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
    db->hosts = hosts_new(options->conninfo);
    return db;
}

void db_free(struct db **db)
{
    if (*db == NULL)
        return;
    PQfinish((*db)->connection);
    hosts_free(&(*db)->hosts);
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
    db->question = DB_NOTHING_ASKED;
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

/*
 * What a server says beside its results: "relation exists, skipping". One of them is more than
 * that: a commit whose wait for a synchronous standby was cancelled is a success to PostgreSQL, and
 * may be lost with the primary. The function's name is what tells it in every language.
 */
static void notice(void *context, const PGresult *result)
{
    struct db *db = context;
    const char *function = PQresultErrorField(result, PG_DIAG_SOURCE_FUNCTION);
    log_debug("database: %s", PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
    if (function != NULL && strcmp(function, "SyncRepWaitForLSN") == 0)
        db->unreplicated = true;
}

/*
 * What comes after the conninfo wins over it, where it is not empty; the conninfo wins over what
 * comes before. Who prepares nothing asks for no role either, and leaves that and all the servers
 * to libpq.
 */
static PGconn *start_connection(struct db *db, const struct hosts_server *server)
{
    bool all = db->options->registry == NULL;
    const char *const names[] = {
        "fallback_application_name", "dbname", "client_encoding", "host", "hostaddr", "port",
        "target_session_attrs",      NULL};
    const char *const values[] = {"mapdiary",
                                  db->options->conninfo,
                                  "UTF8",
                                  all ? NULL : server->host,
                                  all ? NULL : server->hostaddr,
                                  all ? NULL : server->port,
                                  all ? NULL : "any",
                                  NULL};
    PGconn *connection = PQconnectStartParams(names, values, 1);
    if (connection == NULL) {
        log_error("database: out of memory");
        abort();
    }
    PQsetNoticeReceiver(connection, notice, db);
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

static void try_next_server(struct db *db);

/* The server does not do: that is an error once none of them does. What it says again and again is
 * logged once. */
static void fail_server(struct db *db, const char *why)
{
    set_reason(db, why);
    if (hosts_failed(db->hosts, db->reason))
        log_write(db->untried > 0 ? LOG_LEVEL_NOTICE : LOG_LEVEL_ERROR, "database: %s", db->reason);
    db_count(db, failed_connections);
    db_drop(db);
    if (db->untried > 0)
        try_next_server(db);
    else
        back_off(db);
}

static void fail_connecting(struct db *db)
{
    fail_server(db, PQerrorMessage(db->connection));
}

/* For what others than libpq say, who names the server by itself. */
static void fail_named_server(struct db *db, const char *why)
{
    char reason[2 * sizeof db->reason];
    snprintf(reason, sizeof reason, "%s: %s", hosts_current(db->hosts).name, why);
    fail_server(db, reason);
}

static void try_next_server(struct db *db)
{
    const struct hosts_server server = hosts_next(db->hosts, clock_milliseconds());
    db->untried--;
    db->server_at = clock_milliseconds();
    db->connection = start_connection(db, &server);
    db->phase = DB_CONNECTING;
    db->polling = PGRES_POLLING_WRITING;
    if (PQstatus(db->connection) == CONNECTION_BAD)
        fail_connecting(db);
}

/* One server after the other, each once. */
static void begin_attempt(struct db *db)
{
    db->attempt_at = clock_milliseconds();
    db->untried = hosts_count(db->hosts, db->attempt_at);
    try_next_server(db);
}

static void become_ready(struct db *db)
{
    if (*db->reason != '\0')
        log_notice("database: connected again");
    *db->reason = '\0';
    hosts_good(db->hosts);
    db->phase = DB_READY;
    db->backoff = 0;
    db->made++;
    db_count(db, connections);
}

static void begin_preparing(struct db *db)
{
    db->phase = DB_PREPARING;
    db->server_at = clock_milliseconds();
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
        fail_named_server(db, reason);
    else if (db->unacknowledged == 0)
        become_ready(db);
}

/* A replica has a stand-in, and can be left alone for a while. The primary is always worth a try.
 */
static void skip_replica(struct db *db)
{
    if (db->fallback != NULL)
        hosts_skip(db->hosts, clock_milliseconds() + SKIP);
}

/* The server accepts no connection in time, or has stopped to. */
static void give_up_server(struct db *db)
{
    skip_replica(db);
    fail_named_server(db, "the server does not answer");
}

void db_leave(struct db *db, const char *why)
{
    int64_t now = clock_milliseconds();
    if (hosts_failed(db->hosts, why))
        log_notice("database: leaving %s: %s", hosts_current(db->hosts).name, why);
    skip_replica(db);
    db_drop(db);
    db->next_attempt = db->fallback != NULL ? hosts_ready_at(db->hosts) : now;
}

void db_renew(struct db *db)
{
    db->phase = DB_AWAY; /* it is not lost */
    db_drop(db);
    begin_attempt(db);
}

/* A server that shut down has said so, or closed: an idle connection has nothing else to read but
 * an answer. */
static void notice_loss(struct db *db, short events)
{
    bool lost = !PQconsumeInput(db->connection) || PQstatus(db->connection) != CONNECTION_OK ||
                (events & (POLLHUP | POLLERR)) != 0;
    if (!lost) {
        db_hear(db);
        return;
    }
    log_notice("database: the server closed the connection");
    set_reason(db, "the server closed the connection");
    db_drop(db);
    db->next_attempt = clock_milliseconds() + randombytes_uniform(SPREAD);
}

static int64_t server_patience(const struct db *db)
{
    int64_t patience = hosts_connect_timeout(db->hosts);
    return patience > 0 ? patience : SERVER_MOST;
}

int64_t db_wants(const struct db *db, struct pollfd *server)
{
    int64_t until = db->phase == DB_AWAY ? db->next_attempt : db->server_at + server_patience(db);
    int64_t wait = until - clock_milliseconds();
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
        give_up_server(db);
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

/* An attempt that was under way goes on with what has come since, however old it is. */
enum status db_connect_within(struct db *db, int64_t patience)
{
    begin_at_need(db);
    if (db->phase == DB_CONNECTING || db->phase == DB_PREPARING)
        db_advance(db);
    for (;;) {
        int64_t left = db->attempt_at + patience - clock_milliseconds();
        if (db->phase == DB_READY)
            return STATUS_OK;
        if (db->phase == DB_AWAY || left <= 0)
            return STATUS_UNAVAILABLE;
        wait_for_attempt(db, left);
        db_advance(db);
    }
}

enum status db_connect(struct db *db)
{
    return db_connect_within(db, db->options->patience);
}

PGconn *db_live(struct db *db)
{
    if (db->phase == DB_READY)
        db_advance(db);
    return db_connect(db) == STATUS_OK ? db->connection : NULL;
}

PGconn *db_transaction(struct db *db)
{
    if (db->phase == DB_READY)
        db_advance(db);
    if (db->phase == DB_READY && PQtransactionStatus(db->connection) != PQTRANS_IDLE)
        return db->connection;
    log_error("database: the connection was lost, and its transaction with it");
    return NULL;
}

/* Using it --------------------------------------------------------------------------------------
 */

bool db_is_late(const struct db *db)
{
    return db->deadline != 0 && clock_milliseconds() >= db->deadline;
}

static int milliseconds_left(const struct db *db)
{
    int64_t now = clock_milliseconds(), left = 60000;
    if (db->deadline != 0 && db->deadline - now < left)
        left = db->deadline - now;
    if (db->first_by != 0 && db->first_by - now < left)
        left = db->first_by - now;
    return left > 0 ? (int)left : 0;
}

static void give_up_batch(struct db *db)
{
    log_error("database: %s has not answered in time; cancelling", hosts_current(db->hosts).name);
    db_count(db, cancels);
    if (!db->committing)
        db_cancel(db->connection);
    skip_replica(db);
}

/* Sends what is left to send and takes what has come, or waits for either. */
static enum status wait_for_server(struct db *db)
{
    int unsent = PQflush(db->connection);
    int left = milliseconds_left(db);
    if (unsent < 0)
        return STATUS_UNAVAILABLE;
    if (left == 0) {
        give_up_batch(db);
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
    if (*result != NULL)
        db->first_by = 0;
    return STATUS_OK;
}

static enum status run_script(struct db *db, PGconn *connection, const char *sql)
{
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

enum status db_script(struct db *db, const char *sql)
{
    return run_script(db, db_live(db), sql);
}

enum status db_continue(struct db *db, const char *sql)
{
    return run_script(db, db_transaction(db), sql);
}
