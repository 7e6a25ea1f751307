/*
 * Sends and receives without blocking, for as long as the request has time.
 */
#include "db/wire.h"

#include <errno.h>
#include <poll.h>

#include "base/clock.h"
#include "base/log.h"
#include "db/cancel.h"
#include "db/internal.h"

enum {
    WAIT_MOST = 60000, /* milliseconds, at a time */
    SKIP = 10000,      /* how long others are tried in the place of a server that does not answer */
};

void db_drop(struct db *db)
{
    if (db->phase == DB_READY)
        db_count(db->options, lost_connections);
    PQfinish(db->connection);
    db->connection = NULL;
    db->phase = DB_AWAY;
    db->probe.state = DB_PROBE_NONE;
}

void db_skip_replica(struct db *db)
{
    if (db->fallback != NULL)
        hosts_skip(db->hosts, clock_milliseconds() + SKIP);
}

bool db_is_late(const struct db *db)
{
    return db->waiting.deadline != 0 && clock_milliseconds() >= db->waiting.deadline;
}

static int64_t sooner(int64_t left, int64_t moment, int64_t now)
{
    return moment != 0 && moment - now < left ? moment - now : left;
}

static int milliseconds_left(const struct db *db)
{
    int64_t now = clock_milliseconds();
    int64_t left = sooner(sooner(WAIT_MOST, db->waiting.deadline, now), db->waiting.first_by, now);
    return left > 0 ? (int)left : 0;
}

static void give_up_batch(struct db *db)
{
    log_error("database: %s has not answered in time; cancelling", hosts_current(db->hosts).name);
    db_count(db->options, cancels);
    if (!db->waiting.committing)
        db_cancel(db->connection);
    db_skip_replica(db);
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
        db->waiting.first_by = 0;
    return STATUS_OK;
}
