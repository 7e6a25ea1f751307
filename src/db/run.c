/*
 * Runs a batch: sends all of it, takes the results, and sends it again where that is safe.
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

/* What is known so far of a run: the first error stays, whatever PostgreSQL says after it. */
struct run {
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
static bool send_name(PGconn *connection, const struct db_batch *batch)
{
    static const char name[] = "SELECT set_config('application_name', $1, false)";
    const char *const value = batch->db->identifier;
    return !batch->db->options->trace ||
           PQsendQueryParams(connection, name, 1, NULL, &value, NULL, NULL, 1);
}

/*
 * PostgreSQL carries a commit out before it waits for a synchronous standby. Cancelled, that wait
 * ends with everybody seeing what no standby has, and what the next primary may not have: so it is
 * left to take as long as it does, when nobody waits for it any more. What comes before it ends by
 * statement_timeout.
 */
static bool send_commit(PGconn *connection, const struct db_batch *batch)
{
    return (!batch->db->setup.is_synchronous ||
            send_plain(connection, "SET LOCAL statement_timeout = 0")) &&
           send_prepared(connection, DB_COMMIT);
}

static bool send_batch(PGconn *connection, const struct db_batch *batch, const struct run *run)
{
    if (run->begins && !send_prepared(connection, DB_BEGIN))
        return false;
    if (!send_name(connection, batch))
        return false;
    for (int i = 0; i < batch->count; i++) {
        const struct db_item *item = &batch->items[i];
        if (!PQsendQueryPrepared(connection, item->statement->name, item->count, item->values,
                                 item->lengths, item->formats, 1))
            return false;
    }
    if (run->commits && !send_commit(connection, batch))
        return false;
    return PQpipelineSync(connection) != 0;
}

static void lose(struct run *run)
{
    run->status = STATUS_UNAVAILABLE;
    run->ending = DB_ENDING_LOST;
}

static void take_row(struct db_batch *batch, struct run *run, PGresult *result)
{
    struct db_rows rows = {.result = result};
    struct db_row row = db_row(&rows, 0);
    batch->streamed = true;
    run->status = batch->function(batch->context, &row);
    batch->abandoned = run->status != STATUS_OK;
    /* Nobody wants the rest: only closing the connection stops PostgreSQL from sending it. */
    if (batch->abandoned)
        run->ending = DB_ENDING_LOST;
}

/* The item is NULL for BEGIN and COMMIT. */
static const char *name_of(const struct db_item *item)
{
    return item != NULL ? item->statement->name : "commit";
}

/* Takes over the result. */
static void take_result(struct db_batch *batch, struct run *run, struct db_item *item,
                        PGresult *result)
{
    ExecStatusType outcome = PQresultStatus(result);
    if (outcome == PGRES_SINGLE_TUPLE)
        take_row(batch, run, result);
    else if (outcome == PGRES_COMMAND_OK && item == NULL)
        run->committed = strcmp(PQcmdStatus(result), "COMMIT") == 0;
    else if (outcome == PGRES_FATAL_ERROR && run->status == STATUS_OK)
        run->status = db_error_status(result, name_of(item), &run->ending);
    if (item != NULL && (outcome == PGRES_COMMAND_OK || outcome == PGRES_TUPLES_OK))
        item->rows.result = result;
    else
        PQclear(result);
}

/* The results of one statement, up to the NULL after them. */
static void take_results(struct db_batch *batch, struct run *run, struct db_item *item)
{
    PGresult *result = NULL;
    bool is_last = item != NULL && item == batch->items + batch->count - 1;
    if (batch->function != NULL && is_last && run->status == STATUS_OK)
        PQsetSingleRowMode(run->connection);
    while (run->ending != DB_ENDING_LOST) {
        if (db_next_result(batch->db, &result) != STATUS_OK)
            lose(run);
        else if (result == NULL)
            return;
        else
            take_result(batch, run, item, result);
    }
}

static void take_sync(struct db_batch *batch, struct run *run)
{
    PGresult *sync = NULL;
    if (run->ending == DB_ENDING_LOST)
        return;
    if (db_next_result(batch->db, &sync) != STATUS_OK ||
        PQresultStatus(sync) != PGRES_PIPELINE_SYNC)
        lose(run);
    PQclear(sync);
}

static void take_commit(struct db_batch *batch, struct run *run)
{
    if (batch->db->setup.is_synchronous)
        take_results(batch, run, NULL);
    take_results(batch, run, NULL);
}

static void take_all(struct db_batch *batch, struct run *run)
{
    if (run->begins)
        take_results(batch, run, NULL);
    if (batch->db->options->trace)
        take_results(batch, run, NULL);
    for (int i = 0; i < batch->count; i++)
        take_results(batch, run, &batch->items[i]);
    if (run->commits)
        take_commit(batch, run);
    take_sync(batch, run);
}

/* Ends the transaction that was left open, so that the connection serves the next batch. */
static void roll_back(struct db_batch *batch, struct run *run)
{
    struct run rollback = {.connection = run->connection};
    if (send_plain(run->connection, "ROLLBACK") && PQpipelineSync(run->connection)) {
        take_results(batch, &rollback, NULL);
        take_sync(batch, &rollback);
    }
    if (rollback.status != STATUS_OK || PQtransactionStatus(run->connection) != PQTRANS_IDLE)
        run->ending = DB_ENDING_LOST;
}

/* The answer to a probe that was sent before comes first. */
static void exchange(struct db_batch *batch, struct run *run)
{
    struct db *db = batch->db;
    db->waiting.first_by = db->fallback != NULL ? clock_milliseconds() + REPLICA_MOST : 0;
    db->waiting.unreplicated = false;
    db->waiting.committing = run->commits && db->setup.is_synchronous;
    if (send_batch(run->connection, batch, run) && db_probe_wait(db) == STATUS_OK)
        take_all(batch, run);
    else
        lose(run);
    db->waiting.first_by = 0;
}

/* What is still open stays so where it is held and went well; all else is rolled back. */
static void end_transaction(struct db_batch *batch, struct run *run)
{
    if (run->ending == DB_ENDING_LOST || PQtransactionStatus(run->connection) == PQTRANS_IDLE)
        return;
    batch->open = batch->held && run->status == STATUS_OK;
    if (!batch->open)
        roll_back(batch, run);
}

/* PostgreSQL has said COMMIT: what broke after that does not undo it, but for one thing. */
static void believe_commit(const struct db_batch *batch, struct run *run)
{
    if (batch->db->waiting.unreplicated)
        run->status = STATUS_UNAVAILABLE;
    else
        *run = (struct run){.committed = true};
}

/* The transaction that it would go on with is gone. */
static bool is_too_late(const struct run *run)
{
    return run->continues && PQtransactionStatus(run->connection) != PQTRANS_INTRANS;
}

static struct run run_once(struct db_batch *batch)
{
    struct run run = {.connection = db_live(batch->db),
                      .continues = batch->open,
                      .begins = batch->writes && !batch->open,
                      .commits = (batch->writes || batch->open) && !batch->held};
    batch->open = false;
    if (run.connection == NULL || is_too_late(&run))
        return (struct run){.status = STATUS_UNAVAILABLE};
    exchange(batch, &run);
    end_transaction(batch, &run);
    if (run.ending == DB_ENDING_LOST || run.ending == DB_ENDING_STALE)
        db_drop(batch->db);
    if (run.committed)
        believe_commit(batch, &run);
    return run;
}

static bool may_repeat(const struct db_batch *batch, const struct run *run, int attempts)
{
    if (batch->streamed || run->continues || db_is_late(batch->db) || batch->db->fallback != NULL)
        return false;
    switch (run->ending) {
    case DB_ENDING_ROLLED_BACK:
    case DB_ENDING_STALE:
        return attempts < ATTEMPTS_MOST;
    case DB_ENDING_LOST:
        return !batch->writes && attempts == 1;
    case DB_ENDING_DONE:
        break;
    }
    return false;
}

/* Until it cannot be repeated. */
static enum status run_all(struct db_batch *batch)
{
    struct run run;
    int attempts = 0;
    do {
        db_run_clear(batch);
        run = run_once(batch);
        if (attempts++ > 0)
            db_count(batch->db->options, repeats);
    } while (may_repeat(batch, &run, attempts));
    return run.status;
}

static void count_outcome(const struct db_batch *batch, enum status status)
{
    if (!batch->abandoned && (status == STATUS_INTERNAL || status == STATUS_UNAVAILABLE))
        db_count(batch->db->options, errors);
    else if (batch->db->setup.is_standby)
        db_count(batch->db->options, by_standby);
    else
        db_count(batch->db->options, by_primary);
}

/* What a replica does not do, the primary does. */
enum status db_run(struct db_batch *batch)
{
    if (batch->writes && batch->db->fallback != NULL)
        batch->db = batch->db->fallback;
    enum status status = run_all(batch);
    if (status == STATUS_UNAVAILABLE && batch->db->fallback != NULL && !batch->streamed &&
        !db_is_late(batch->db)) {
        batch->db = batch->db->fallback;
        db_count(batch->db->options, diverted);
        status = run_all(batch);
    }
    count_outcome(batch, status);
    return status;
}

void db_run_roll_back(struct db_batch *batch)
{
    struct run run = {.connection = batch->open ? db_live(batch->db) : NULL};
    if (run.connection != NULL && PQtransactionStatus(run.connection) != PQTRANS_IDLE)
        roll_back(batch, &run);
    if (run.ending == DB_ENDING_LOST)
        db_drop(batch->db);
    batch->open = false;
}

void db_run_clear(struct db_batch *batch)
{
    for (int i = 0; i < batch->count; i++) {
        PQclear(batch->items[i].rows.result);
        batch->items[i].rows.result = NULL;
    }
}
