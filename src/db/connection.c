/*
 * Has a connection whenever that is possible: begins an attempt in time, waits for it where
 * somebody needs it, and notices when what was made is lost.
 */
#include "db/connection.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "db/connect.h"
#include "db/internal.h"
#include "db/probe.h"
#include "db/wire.h"

enum {
    SPREAD = 100,       /* over which idle workers come back that lost their connections at once */
    SERVER_MOST = 5000, /* that a server may take to accept a connection, without connect_timeout */
};

struct db *db_new(const struct db_options *options)
{
    struct db *db = memory_zeroed(1, sizeof *db);
    db->options = options;
    db->hosts = hosts_new(options->conninfo);
    return db;
}

struct db *db_new_replica(const struct db_options *options, struct db *primary)
{
    struct db *db = db_new(options);
    db->fallback = primary;
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

bool db_is_ready(const struct db *db)
{
    return db->phase == DB_READY;
}

const char *db_reason(const struct db *db)
{
    return db->reason;
}

enum db_failure db_failure(const struct db *db)
{
    return db->phase == DB_READY ? DB_FAILURE_NONE : db->attempt.failure;
}

unsigned long db_made(const struct db *db)
{
    return db->made;
}

int db_backend(const struct db *db)
{
    return db->phase == DB_READY ? PQbackendPID(db->connection) : 0;
}

void db_begin_time(struct db *db)
{
    if (db->options->timeout > 0)
        db->waiting.deadline = clock_milliseconds() + db->options->timeout;
}

void db_start_request(struct db *db, const char *identifier)
{
    db_begin_time(db);
    if (db->options->trace)
        snprintf(db->identifier, sizeof db->identifier, "mapdiary %s", identifier);
}

/* The server accepts no connection in time, or has stopped to. */
static void give_up_server(struct db *db)
{
    db_skip_replica(db);
    db_attempt_fail(db, DB_FAILURE_AWAY, "the server does not answer");
}

void db_leave(struct db *db, const char *why)
{
    int64_t now = clock_milliseconds();
    if (hosts_failed(db->hosts, why))
        log_notice("database: leaving %s: %s", hosts_current(db->hosts).name, why);
    db_skip_replica(db);
    db_drop(db);
    db->attempt.next_at = db->fallback != NULL ? hosts_ready_at(db->hosts) : now;
}

void db_reset(struct db *db)
{
    db->phase = DB_AWAY; /* it is not lost */
    db_drop(db);
    db_attempt_begin(db);
}

static bool take_notifications(const struct db *db)
{
    const struct db_options *options = db->options;
    bool had_any = false;
    for (PGnotify *one; (one = PQnotifies(db->connection)) != NULL; PQfreemem(one)) {
        had_any = true;
        if (options->notified != NULL)
            options->notified(options->context, one->extra);
    }
    return had_any;
}

bool db_was_notified(struct db *db)
{
    return db->phase == DB_READY && take_notifications(db);
}

/* A server that shut down has said so, or closed: an idle connection has nothing else to read but
 * an answer. */
static void notice_loss(struct db *db, short events)
{
    bool lost = !PQconsumeInput(db->connection) || PQstatus(db->connection) != CONNECTION_OK ||
                (events & (POLLHUP | POLLERR)) != 0;
    if (!lost) {
        (void)take_notifications(db);
        db_probe_receive(db);
        return;
    }
    log_notice("database: the server closed the connection");
    db_set_reason(db, "the server closed the connection");
    db_drop(db);
    db->attempt.next_at = clock_milliseconds() + randombytes_uniform(SPREAD);
}

static int64_t server_patience(const struct db *db)
{
    int64_t patience = hosts_connect_timeout(db->hosts);
    return patience > 0 ? patience : SERVER_MOST;
}

int64_t db_wants(const struct db *db, struct pollfd *server)
{
    int64_t until = db->phase == DB_AWAY ? db->attempt.next_at
                                         : db->attempt.server_began_at + server_patience(db);
    int64_t wait = until - clock_milliseconds();
    *server = (struct pollfd){.fd = -1};
    if (db->phase != DB_AWAY) {
        bool writes = db->phase == DB_CONNECTING && db->attempt.polling == PGRES_POLLING_WRITING;
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
            db_attempt_begin(db);
        return;
    }
    if (poll(&server, 1, 0) > 0) {
        if (db->phase == DB_READY)
            notice_loss(db, server.revents);
        else
            db_attempt_advance(db);
    } else if (wait == 0) {
        give_up_server(db);
    }
}

/* Whoever needs a connection that was lost a moment ago does not wait for its turn. */
static void begin_at_need(struct db *db)
{
    if (db->phase == DB_AWAY &&
        (db->attempt.backoff == 0 || clock_milliseconds() >= db->attempt.next_at))
        db_attempt_begin(db);
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
        int64_t left = db->attempt.began_at + patience - clock_milliseconds();
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
