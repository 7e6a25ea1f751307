/*
 * Connects to one server after the other, phase by phase.
 */
#include "db/connect.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "db/conninfo.h"
#include "db/error.h"
#include "db/internal.h"
#include "db/setup.h"
#include "db/wire.h"

enum {
    BACKOFF_LEAST = 100, /* milliseconds */
    BACKOFF_MOST = 2000,
};

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
        db->waiting.unreplicated = true;
}

/*
 * Over TCP, the kernel asks an idle server once a minute if the connection is still there. So no
 * router forgets the connection, and a server that is gone is noticed before somebody asks it.
 * tcp_user_timeout bounds the wait for a server that takes no more data (PostgreSQL
 * manual, 34.1.2).
 */
#define KEEPALIVE_NAMES \
    "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout"
#define KEEPALIVE_VALUES "60", "10", "3", "20000"

/*
 * What comes after the conninfo wins over it, where it is not empty; the conninfo wins over what
 * comes before. Who prepares nothing asks for no role either, and leaves that and all the servers
 * to libpq.
 */
static PGconn *start_connection(struct db *db, const struct hosts_server *server)
{
    bool all = db->options->registry == NULL;
    const char *const names[] = {KEEPALIVE_NAMES,
                                 "fallback_application_name",
                                 "dbname",
                                 "client_encoding",
                                 "host",
                                 "hostaddr",
                                 "port",
                                 "target_session_attrs",
                                 NULL};
    const char *const values[] = {KEEPALIVE_VALUES,
                                  db->options->name == NULL ? "mapdiary" : db->options->name,
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
    PQsetErrorVerbosity(connection, PQERRORS_VERBOSE); /* db_error_of_connecting() wants codes */
    return connection;
}

/* Half of the wait is by chance, so that many workers do not come back all at once. */
static void back_off(struct db *db)
{
    db->attempt.backoff = db->attempt.backoff == 0 ? BACKOFF_LEAST : db->attempt.backoff * 2;
    if (db->attempt.backoff > BACKOFF_MOST)
        db->attempt.backoff = BACKOFF_MOST;
    int64_t half = db->attempt.backoff / 2;
    db->attempt.next_at = clock_milliseconds() + half + randombytes_uniform((uint32_t)half);
}

/* Messages of libpq end in a line feed and may have several lines. */
void db_set_reason(struct db *db, const char *text)
{
    snprintf(db->reason, sizeof db->reason, "%s", text);
    for (char *at = db->reason; *at != '\0'; at++)
        if (*at == '\n' || *at == '\t')
            *at = at[1] == '\0' ? '\0' : ' ';
}

static void try_next_server(struct db *db);

static bool may_use(int family)
{
    int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool may = descriptor >= 0 || errno != EAFNOSUPPORT;
    if (descriptor >= 0)
        close(descriptor);
    return may;
}

static bool may_use_tcp(void)
{
    return may_use(AF_INET) || may_use(AF_INET6);
}

/* The server does not do: that is an error once none of them does. What it says again and again is
 * logged once. */
static void fail_server(struct db *db, enum db_failure failure, const char *why)
{
    db_set_reason(db, why);
    if (failure > db->attempt.failure)
        db->attempt.failure = failure;
    if (!db->options->quiet && hosts_failed(db->hosts, db->reason))
        log_write(db->attempt.untried > 0 ? LOG_LEVEL_NOTICE : LOG_LEVEL_ERROR, "database: %s",
                  db->reason);
    db_count(db->options, failed_connections);
    db_drop(db);
    if (db->attempt.untried > 0)
        try_next_server(db);
    else
        back_off(db);
}

static void fail_connecting(struct db *db)
{
    char reason[sizeof db->reason];
    enum db_failure failure =
        db_error_of_connecting(PQerrorMessage(db->connection), reason, sizeof reason);
    const struct hosts_server server = hosts_current(db->hosts);
    if (PQconnectionNeedsPassword(db->connection) ||
        db_check_conninfo(db->options->conninfo, reason, sizeof reason) != STATUS_OK)
        failure = DB_FAILURE_REFUSED;
    else if (failure == DB_FAILURE_AWAY && hosts_is_tcp(&server) && !may_use_tcp())
        failure = DB_FAILURE_NO_TCP;
    fail_server(db, failure,
                failure == DB_FAILURE_NO_TCP
                    ? "this process may not use TCP (under systemd, remote-database.conf lets it: "
                      "see mapdiaryd(8))"
                    : reason);
}

/* For what others than libpq say, who names the server by itself. */
void db_attempt_fail(struct db *db, enum db_failure failure, const char *why)
{
    char reason[2 * sizeof db->reason];
    snprintf(reason, sizeof reason, "%s: %s", hosts_current(db->hosts).name, why);
    fail_server(db, failure, reason);
}

static void try_next_server(struct db *db)
{
    const struct hosts_server server = hosts_next(db->hosts, clock_milliseconds());
    db->attempt.untried--;
    db->attempt.server_began_at = clock_milliseconds();
    db->connection = start_connection(db, &server);
    db->phase = DB_CONNECTING;
    db->attempt.polling = PGRES_POLLING_WRITING;
    if (PQstatus(db->connection) == CONNECTION_BAD)
        fail_connecting(db);
}

/* One server after the other, each once. */
void db_attempt_begin(struct db *db)
{
    db->attempt.began_at = clock_milliseconds();
    db->attempt.untried = hosts_count(db->hosts, db->attempt.began_at);
    db->attempt.failure = DB_FAILURE_NONE;
    try_next_server(db);
}

static void become_ready(struct db *db)
{
    if (*db->reason != '\0')
        log_notice("database: connected again");
    *db->reason = '\0';
    hosts_good(db->hosts);
    db->phase = DB_READY;
    db->attempt.backoff = 0;
    db->made++;
    db_count(db->options, connections);
}

static void begin_preparing(struct db *db)
{
    db->phase = DB_PREPARING;
    db->attempt.server_began_at = clock_milliseconds();
    PQsetErrorVerbosity(db->connection, PQERRORS_DEFAULT);
    if (PQsetnonblocking(db->connection, 1) != 0)
        fail_connecting(db);
    else if (db->options->registry == NULL)
        become_ready(db);
    else if (!db_setup_send(db))
        fail_connecting(db);
}

static void advance_connecting(struct db *db)
{
    db->attempt.polling = PQconnectPoll(db->connection);
    if (db->attempt.polling == PGRES_POLLING_FAILED)
        fail_connecting(db);
    else if (db->attempt.polling == PGRES_POLLING_OK)
        begin_preparing(db);
}

static void advance_preparing(struct db *db)
{
    char reason[sizeof db->reason];
    if (!db_setup_take(db, reason, sizeof reason))
        db_attempt_fail(db, db->setup.failure, reason);
    else if (db_setup_is_done(db))
        become_ready(db);
}

void db_attempt_advance(struct db *db)
{
    if (db->phase == DB_CONNECTING)
        advance_connecting(db);
    else
        advance_preparing(db);
}
