/*
 * Sends statements, takes their results, and sends them again where that is safe.
 */
#include "db/run.h"

#include <string.h>

#include "base/clock.h"
#include "db/error.h"
#include "db/internal.h"
#include "db/live.h"
#include "db/probe.h"
#include "db/setup.h"
#include "db/wire.h"

enum {
    ATTEMPTS_MOST = 4,
    REPLICA_MOST = 1000, /* milliseconds until a replica begins to answer; else the primary does */
};

/* One sending of the statements, which may not be the last. The first error stays, whatever
 * PostgreSQL says after it. */
struct sending {
    PGconn *connection;
    bool continues; /* the transaction that a run before it began */
    bool begins;    /* one of its own */
    bool commits;
    enum status status;
    enum db_ending ending;
    bool committed;
};

static bool send_plain(PGconn *connection, const char *command)
{
    return PQsendQueryParams(connection, command, 0, NULL, NULL, NULL, NULL, 1);
}

static bool send_prepared(PGconn *connection, const char *name)
{
    return PQsendQueryPrepared(connection, name, 0, NULL, NULL, NULL, 1);
}

/* Within the transaction, as BEGIN must be the first of a pipeline; should it be rolled back, the
 * name has served by then. */
static bool send_name(PGconn *connection, const struct db_run *run)
{
    static const char name[] = "SELECT set_config('application_name', $1, false)";
    const char *const value = run->db->identifier;
    return !run->db->options->trace ||
           PQsendQueryParams(connection, name, 1, NULL, &value, NULL, NULL, 1);
}

/*
 * PostgreSQL carries a commit out before it waits for a synchronous standby. Cancelled, that wait
 * ends with everybody seeing what no standby has, and what the next primary may not have: so it is
 * left to take as long as it does, when nobody waits for it any more. What comes before it ends by
 * statement_timeout.
 */
static bool send_commit(PGconn *connection, const struct db_run *run)
{
    return (!run->db->setup.is_synchronous ||
            send_plain(connection, "SET LOCAL statement_timeout = 0")) &&
           send_prepared(connection, DB_COMMIT);
}

static bool send_item(PGconn *connection, const struct db_run *run, const struct db_item *item)
{
    if (run->db->options->unprepared)
        return PQsendQueryParams(connection, item->statement->sql, item->count, NULL, item->values,
                                 item->lengths, item->formats, 1);
    return PQsendQueryPrepared(connection, item->statement->name, item->count, item->values,
                               item->lengths, item->formats, 1);
}

static bool send_batch(PGconn *connection, const struct db_run *run, const struct sending *sending)
{
    if (sending->begins && !send_prepared(connection, DB_BEGIN))
        return false;
    if (!send_name(connection, run))
        return false;
    for (int i = 0; i < run->count; i++)
        if (!send_item(connection, run, &run->items[i]))
            return false;
    if (sending->commits && !send_commit(connection, run))
        return false;
    return PQpipelineSync(connection) != 0;
}

static void lose(struct sending *sending)
{
    sending->status = STATUS_UNAVAILABLE;
    sending->ending = DB_ENDING_LOST;
}

static void take_row(struct db_run *run, struct sending *sending, PGresult *result)
{
    struct db_rows rows = {.result = result};
    struct db_row row = db_row(&rows, 0);
    run->streamed = true;
    sending->status = run->function(run->context, &row);
    run->abandoned = sending->status != STATUS_OK;
    /* Nobody wants the rest: only closing the connection stops PostgreSQL from sending it. */
    if (run->abandoned)
        sending->ending = DB_ENDING_LOST;
}

/* The item is NULL for BEGIN and COMMIT. */
static const char *name_of(const struct db_item *item)
{
    return item != NULL ? item->statement->name : "commit";
}

/* A statement that is not prepared meets here what db/setup would have met: another schema. */
static enum status status_of(const struct db_run *run, const struct db_item *item,
                             const PGresult *result, struct sending *sending)
{
    enum status status = db_error_status(result, name_of(item), &sending->ending);
    bool is_late = run->db->options->unprepared && db_error_is_of_schema(result);
    return is_late ? STATUS_UNAVAILABLE : status;
}

/* Takes over the result. */
static void take_result(struct db_run *run, struct sending *sending, struct db_item *item,
                        PGresult *result)
{
    ExecStatusType outcome = PQresultStatus(result);
    if (outcome == PGRES_SINGLE_TUPLE)
        take_row(run, sending, result);
    else if (outcome == PGRES_COMMAND_OK && item == NULL)
        sending->committed = strcmp(PQcmdStatus(result), "COMMIT") == 0;
    else if (outcome == PGRES_FATAL_ERROR && sending->status == STATUS_OK)
        sending->status = status_of(run, item, result, sending);
    if (item != NULL && (outcome == PGRES_COMMAND_OK || outcome == PGRES_TUPLES_OK))
        item->rows.result = result;
    else
        PQclear(result);
}

/* The results of one statement, up to the NULL after them. */
static void take_results(struct db_run *run, struct sending *sending, struct db_item *item)
{
    PGresult *result = NULL;
    bool is_last = item != NULL && item == run->items + run->count - 1;
    if (run->function != NULL && is_last && sending->status == STATUS_OK)
        PQsetSingleRowMode(sending->connection);
    while (sending->ending != DB_ENDING_LOST) {
        if (db_next_result(run->db, &result) != STATUS_OK)
            lose(sending);
        else if (result == NULL)
            return;
        else
            take_result(run, sending, item, result);
    }
}

static void take_sync(struct db_run *run, struct sending *sending)
{
    PGresult *sync = NULL;
    if (sending->ending == DB_ENDING_LOST)
        return;
    if (db_next_result(run->db, &sync) != STATUS_OK || PQresultStatus(sync) != PGRES_PIPELINE_SYNC)
        lose(sending);
    PQclear(sync);
}

static void take_commit(struct db_run *run, struct sending *sending)
{
    if (run->db->setup.is_synchronous)
        take_results(run, sending, NULL);
    take_results(run, sending, NULL);
}

static void take_all(struct db_run *run, struct sending *sending)
{
    if (sending->begins)
        take_results(run, sending, NULL);
    if (run->db->options->trace)
        take_results(run, sending, NULL);
    for (int i = 0; i < run->count; i++)
        take_results(run, sending, &run->items[i]);
    if (sending->commits)
        take_commit(run, sending);
    take_sync(run, sending);
}

/* Ends the transaction that was left open, so that the connection serves the next batch. */
static void roll_back(struct db_run *run, struct sending *sending)
{
    struct sending rollback = {.connection = sending->connection};
    if (send_plain(sending->connection, "ROLLBACK") && PQpipelineSync(sending->connection)) {
        take_results(run, &rollback, NULL);
        take_sync(run, &rollback);
    }
    if (rollback.status != STATUS_OK || PQtransactionStatus(sending->connection) != PQTRANS_IDLE)
        sending->ending = DB_ENDING_LOST;
}

/* The answer to a probe that was sent before comes first. */
static void send_and_take(struct db_run *run, struct sending *sending)
{
    struct db *db = run->db;
    db->waiting.first_by = db->fallback != NULL ? clock_milliseconds() + REPLICA_MOST : 0;
    db->waiting.unreplicated = false;
    db->waiting.committing = sending->commits && db->setup.is_synchronous;
    if (send_batch(sending->connection, run, sending) && db_probe_wait(db) == STATUS_OK)
        take_all(run, sending);
    else
        lose(sending);
    db->waiting.first_by = 0;
}

/* What is still open stays so where it is held and went well; all else is rolled back. */
static void end_transaction(struct db_run *run, struct sending *sending)
{
    if (sending->ending == DB_ENDING_LOST ||
        PQtransactionStatus(sending->connection) == PQTRANS_IDLE)
        return;
    run->is_open = run->stays_open && sending->status == STATUS_OK;
    if (!run->is_open)
        roll_back(run, sending);
}

/* PostgreSQL has said COMMIT: what broke after that does not undo it, but for one thing. */
static void believe_commit(const struct db_run *run, struct sending *sending)
{
    if (run->db->waiting.unreplicated)
        sending->status = STATUS_UNAVAILABLE;
    else
        *sending = (struct sending){.committed = true};
}

/* The transaction that it would go on with is gone. */
static bool is_too_late(const struct sending *sending)
{
    return sending->continues && PQtransactionStatus(sending->connection) != PQTRANS_INTRANS;
}

static struct sending run_once(struct db_run *run)
{
    struct sending sending = {.connection = db_live(run->db),
                              .continues = run->is_open,
                              .begins = run->writes && !run->is_open,
                              .commits = (run->writes || run->is_open) && !run->stays_open};
    run->is_open = false;
    if (sending.connection == NULL || is_too_late(&sending))
        return (struct sending){.status = STATUS_UNAVAILABLE};
    send_and_take(run, &sending);
    end_transaction(run, &sending);
    if (sending.ending == DB_ENDING_LOST || sending.ending == DB_ENDING_STALE)
        db_drop(run->db);
    if (sending.committed)
        believe_commit(run, &sending);
    return sending;
}

static bool may_repeat(const struct db_run *run, const struct sending *sending, int attempts)
{
    if (run->streamed || sending->continues || db_is_late(run->db) || run->db->fallback != NULL)
        return false;
    switch (sending->ending) {
    case DB_ENDING_ROLLED_BACK:
    case DB_ENDING_STALE:
        return attempts < ATTEMPTS_MOST;
    case DB_ENDING_LOST:
        return !run->writes && attempts == 1;
    case DB_ENDING_DONE:
        break;
    }
    return false;
}

/* Until it cannot be repeated. */
static enum status run_all(struct db_run *run)
{
    struct sending sending;
    int attempts = 0;
    do {
        db_run_clear(run);
        sending = run_once(run);
        if (attempts++ > 0)
            db_count(run->db->options, repeats);
    } while (may_repeat(run, &sending, attempts));
    return sending.status;
}

static void count_outcome(const struct db_run *run, enum status status)
{
    if (!run->abandoned && (status == STATUS_INTERNAL || status == STATUS_UNAVAILABLE))
        db_count(run->db->options, errors);
    else if (run->db->setup.is_standby)
        db_count(run->db->options, by_standby);
    else
        db_count(run->db->options, by_primary);
}

/* What a replica does not do, the primary does. */
enum status db_run(struct db_run *run)
{
    if (run->writes && run->db->fallback != NULL)
        run->db = run->db->fallback;
    enum status status = run_all(run);
    if (status == STATUS_UNAVAILABLE && run->db->fallback != NULL && !run->streamed &&
        !db_is_late(run->db)) {
        run->db = run->db->fallback;
        db_count(run->db->options, diverted);
        status = run_all(run);
    }
    count_outcome(run, status);
    return status;
}

void db_run_roll_back(struct db_run *run)
{
    struct sending sending = {.connection = run->is_open ? db_live(run->db) : NULL};
    if (sending.connection != NULL && PQtransactionStatus(sending.connection) != PQTRANS_IDLE)
        roll_back(run, &sending);
    if (sending.ending == DB_ENDING_LOST)
        db_drop(run->db);
    run->is_open = false;
}

void db_run_clear(struct db_run *run)
{
    for (int i = 0; i < run->count; i++) {
        PQclear(run->items[i].rows.result);
        run->items[i].rows.result = NULL;
    }
}
