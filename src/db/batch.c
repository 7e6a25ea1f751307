#include "db/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "db/internal.h"

enum {
    STATEMENTS_MOST = 8,
    ATTEMPTS_MOST = 4,
    REPLICA_MOST = 1000, /* milliseconds until a replica begins to answer; else the primary does */
};

struct item {
    const struct db_statement *statement;
    const char **values;
    int *lengths;
    int *formats;
    int count;
    struct db_rows rows;
};

struct db_batch {
    struct db *db;
    struct arena *arena;
    struct item items[STATEMENTS_MOST];
    int count;
    bool writes;
    bool has_run;
    bool held;                 /* its transaction stays open when it has run */
    bool open;                 /* it is */
    db_row_function *function; /* of the last item; NULL where its rows are kept as all others */
    void *context;
    bool streamed; /* the function has had a row: nothing can be repeated */
};

/* How a run ended, beside its status. */
enum ending {
    ENDING_DONE,
    ENDING_ROLLED_BACK, /* by PostgreSQL, for a reason that may not come again */
    ENDING_STALE,       /* rolled back too, and another connection is needed */
    ENDING_LOST         /* the connection broke */
};

/*
 * What an error of PostgreSQL means here, by the start of its SQLSTATE: PostgreSQL manual, appendix
 * A. Those of class MD are raised by the schema's own functions.
 */
static const struct {
    const char *sqlstate;
    enum status status;
    enum ending ending;
} errors[] = {
    {"MD001", STATUS_LOGIN_REQUIRED, ENDING_DONE},
    {"MD002", STATUS_KEY_UNKNOWN, ENDING_DONE},
    {"MD003", STATUS_TIMESTAMP_EXPIRED, ENDING_DONE},
    {"MD004", STATUS_REQUEST_REPLAYED, ENDING_DONE},
    {"23505", STATUS_CONFLICT, ENDING_DONE},           /* unique_violation */
    {"40001", STATUS_UNAVAILABLE, ENDING_ROLLED_BACK}, /* serialization_failure */
    {"40P01", STATUS_UNAVAILABLE, ENDING_ROLLED_BACK}, /* deadlock_detected */
    {"26000", STATUS_UNAVAILABLE, ENDING_STALE},       /* invalid_sql_statement_name */
    {"0A000", STATUS_UNAVAILABLE, ENDING_STALE},       /* cached plan must not change result type */
    {"57014", STATUS_UNAVAILABLE, ENDING_DONE},        /* query_canceled: statement_timeout */
    {"57P", STATUS_UNAVAILABLE, ENDING_LOST},          /* shutdown, crash, starting up */
    {"08", STATUS_UNAVAILABLE, ENDING_LOST},           /* connection exceptions */
    {"53", STATUS_UNAVAILABLE, ENDING_DONE},           /* disk full, out of memory */
    {"58", STATUS_UNAVAILABLE, ENDING_DONE},           /* system and I/O errors */
    {"25006", STATUS_UNAVAILABLE, ENDING_STALE},       /* read_only_sql_transaction: a standby */
    {"55P03", STATUS_UNAVAILABLE, ENDING_DONE},        /* lock_not_available */
    {"", STATUS_INTERNAL, ENDING_DONE},
};

struct db_batch *db_batch_new(struct db *db, struct arena *arena)
{
    struct db_batch *batch = arena_take(arena, sizeof *batch);
    batch->db = db;
    batch->arena = arena;
    return batch;
}

static void set_value(struct db_batch *batch, struct item *item, int i,
                      const struct db_value *value)
{
    switch (value->kind) {
    case DB_VALUE_NULL:
        break;
    case DB_VALUE_INTEGER:
        item->values[i] =
            text_from_integer(value->integer, arena_take(batch->arena, TEXT_INTEGER_SIZE));
        break;
    case DB_VALUE_TEXT:
        item->values[i] = value->bytes;
        break;
    case DB_VALUE_BYTES:
        item->values[i] = value->bytes;
        item->lengths[i] = (int)value->length;
        item->formats[i] = 1;
        break;
    }
}

const struct db_rows *db_batch_add(struct db_batch *batch, const struct db_statement *statement,
                                   const struct db_value *values, size_t count)
{
    if (batch->count == STATEMENTS_MOST || batch->has_run || batch->function != NULL)
        abort();
    struct item *item = &batch->items[batch->count++];
    *item = (struct item){
        .statement = statement,
        .values = arena_take_array(batch->arena, count, sizeof *item->values),
        .lengths = arena_take_array(batch->arena, count, sizeof *item->lengths),
        .formats = arena_take_array(batch->arena, count, sizeof *item->formats),
        .count = (int)count,
    };
    for (int i = 0; i < item->count; i++)
        set_value(batch, item, i, &values[i]);
    batch->writes = batch->writes || statement->writes;
    return &item->rows;
}

void db_batch_stream(struct db_batch *batch, const struct db_statement *statement,
                     const struct db_value *values, size_t count, db_row_function *function,
                     void *context)
{
    (void)db_batch_add(batch, statement, values, count);
    batch->function = function;
    batch->context = context;
}

bool db_batch_has_run(const struct db_batch *batch)
{
    return batch->has_run;
}

static void clear_rows(struct db_batch *batch)
{
    for (int i = 0; i < batch->count; i++) {
        PQclear(batch->items[i].rows.result);
        batch->items[i].rows.result = NULL;
    }
}

void db_batch_hold(struct db_batch *batch)
{
    batch->held = true;
}

bool db_batch_is_open(const struct db_batch *batch)
{
    return batch->open;
}

void db_batch_continue(struct db_batch *batch)
{
    clear_rows(batch);
    *batch = (struct db_batch){.db = batch->db, .arena = batch->arena, .open = batch->open};
}

static enum status meaning_of(const PGresult *result, const struct item *item, enum ending *ending)
{
    const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *statement = item != NULL ? item->statement->name : "commit";
    size_t i = 0;
    if (sqlstate == NULL) { /* libpq's own: the connection is lost, whatever PQstatus() says */
        log_warning("database: %s: %s", statement, PQresultErrorMessage(result));
        *ending = ENDING_LOST;
        return STATUS_UNAVAILABLE;
    }
    while (strncmp(sqlstate, errors[i].sqlstate, strlen(errors[i].sqlstate)) != 0)
        i++;
    *ending = errors[i].ending;
    if (errors[i].status == STATUS_UNAVAILABLE || errors[i].status == STATUS_INTERNAL)
        log_error("database: %s: %s %s", statement, sqlstate,
                  PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
    return errors[i].status;
}

static bool send_plain(PGconn *connection, const char *command)
{
    return PQsendQueryParams(connection, command, 0, NULL, NULL, NULL, NULL, 1);
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

/* What is known so far of a run: the first error stays, whatever PostgreSQL says after it. */
struct run {
    PGconn *connection;
    bool continues; /* the transaction that a run before it began */
    bool begins;    /* one of its own */
    bool commits;
    enum status status;
    enum ending ending;
    bool committed;
};

/*
 * PostgreSQL carries a commit out before it waits for a synchronous standby. Cancelled, that wait
 * ends with everybody seeing what no standby has, and what the next primary may not have: so it is
 * left to take as long as it does, when nobody waits for it any more. What comes before it ends by
 * statement_timeout.
 */
static bool send_commit(PGconn *connection, const struct db_batch *batch)
{
    return (!batch->db->is_synchronous ||
            send_plain(connection, "SET LOCAL statement_timeout = 0")) &&
           send_plain(connection, "COMMIT");
}

static bool send_batch(PGconn *connection, const struct db_batch *batch, const struct run *run)
{
    if (run->begins && !send_plain(connection, "BEGIN ISOLATION LEVEL READ COMMITTED"))
        return false;
    if (!send_name(connection, batch))
        return false;
    for (int i = 0; i < batch->count; i++) {
        const struct item *item = &batch->items[i];
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
    run->ending = ENDING_LOST;
}

static void take_row(struct db_batch *batch, struct run *run, PGresult *result)
{
    struct db_rows rows = {.result = result};
    struct db_row row = db_row(&rows, 0);
    batch->streamed = true;
    run->status = batch->function(batch->context, &row);
    /* Nobody wants the rest: only closing the connection stops PostgreSQL from sending it. */
    if (run->status != STATUS_OK)
        run->ending = ENDING_LOST;
}

/* Takes over the result. The item is NULL for BEGIN and COMMIT. */
static void take_result(struct db_batch *batch, struct run *run, struct item *item,
                        PGresult *result)
{
    ExecStatusType outcome = PQresultStatus(result);
    if (outcome == PGRES_SINGLE_TUPLE)
        take_row(batch, run, result);
    else if (outcome == PGRES_COMMAND_OK && item == NULL)
        run->committed = strcmp(PQcmdStatus(result), "COMMIT") == 0;
    else if (outcome == PGRES_FATAL_ERROR && run->status == STATUS_OK)
        run->status = meaning_of(result, item, &run->ending);
    if (item != NULL && (outcome == PGRES_COMMAND_OK || outcome == PGRES_TUPLES_OK))
        item->rows.result = result;
    else
        PQclear(result);
}

/* The results of one statement, up to the NULL after them. */
static void take_results(struct db_batch *batch, struct run *run, struct item *item)
{
    PGresult *result = NULL;
    bool is_last = item == &batch->items[batch->count - 1];
    if (batch->function != NULL && is_last && run->status == STATUS_OK)
        PQsetSingleRowMode(run->connection);
    while (run->ending != ENDING_LOST) {
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
    if (run->ending == ENDING_LOST)
        return;
    if (db_next_result(batch->db, &sync) != STATUS_OK ||
        PQresultStatus(sync) != PGRES_PIPELINE_SYNC)
        lose(run);
    PQclear(sync);
}

static void take_commit(struct db_batch *batch, struct run *run)
{
    if (batch->db->is_synchronous)
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
        run->ending = ENDING_LOST;
}

/* An answer to a question that was asked before comes first. */
static void exchange(struct db_batch *batch, struct run *run)
{
    struct db *db = batch->db;
    db->first_by = db->fallback != NULL ? clock_milliseconds() + REPLICA_MOST : 0;
    db->unreplicated = false;
    db->committing = run->commits && db->is_synchronous;
    if (send_batch(run->connection, batch, run) && db_settle(db) == STATUS_OK)
        take_all(batch, run);
    else
        lose(run);
    db->first_by = 0;
}

static struct run run_once(struct db_batch *batch)
{
    struct run run = {.connection = db_live(batch->db),
                      .continues = batch->open,
                      .begins = batch->writes && !batch->open,
                      .commits = (batch->writes || batch->open) && !batch->held};
    bool lost = run.continues &&
                (run.connection == NULL || PQtransactionStatus(run.connection) != PQTRANS_INTRANS);
    batch->open = false;
    if (run.connection == NULL || lost)
        return (struct run){.status = STATUS_UNAVAILABLE};
    exchange(batch, &run);
    if (run.ending != ENDING_LOST && PQtransactionStatus(run.connection) != PQTRANS_IDLE) {
        batch->open = batch->held && run.status == STATUS_OK;
        if (!batch->open)
            roll_back(batch, &run);
    }
    if (run.ending == ENDING_LOST || run.ending == ENDING_STALE)
        db_drop(batch->db);
    /* PostgreSQL has said COMMIT: what broke after that does not undo it, but for one thing. */
    if (run.committed && batch->db->unreplicated)
        run.status = STATUS_UNAVAILABLE;
    else if (run.committed)
        run = (struct run){.committed = true};
    return run;
}

static bool may_repeat(const struct db_batch *batch, const struct run *run, int attempts)
{
    if (batch->streamed || run->continues || db_is_late(batch->db) || batch->db->fallback != NULL)
        return false;
    switch (run->ending) {
    case ENDING_ROLLED_BACK:
    case ENDING_STALE:
        return attempts < ATTEMPTS_MOST;
    case ENDING_LOST:
        return !batch->writes && attempts == 1;
    case ENDING_DONE:
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
        clear_rows(batch);
        run = run_once(batch);
        if (attempts++ > 0)
            db_count(batch->db, repeats);
    } while (may_repeat(batch, &run, attempts));
    return run.status;
}

static void count_outcome(const struct db_batch *batch, enum status status)
{
    if (status == STATUS_INTERNAL || status == STATUS_UNAVAILABLE)
        db_count(batch->db, errors);
    else if (batch->db->is_standby)
        db_count(batch->db, by_standby);
    else
        db_count(batch->db, by_primary);
}

/* What a replica does not do, the primary does. */
enum status db_batch_run(struct db_batch *batch)
{
    if (batch->writes && batch->db->fallback != NULL)
        batch->db = batch->db->fallback;
    enum status status = run_all(batch);
    if (status == STATUS_UNAVAILABLE && batch->db->fallback != NULL && !batch->streamed &&
        !db_is_late(batch->db)) {
        batch->db = batch->db->fallback;
        db_count(batch->db, diverted);
        status = run_all(batch);
    }
    batch->has_run = true;
    count_outcome(batch, status);
    return status;
}

int db_batch_backend(const struct db_batch *batch)
{
    return batch != NULL ? db_backend(batch->db) : 0;
}

void db_batch_reset(struct db_batch *batch)
{
    struct run run = {.connection = batch->open ? db_live(batch->db) : NULL};
    if (run.connection != NULL && PQtransactionStatus(run.connection) != PQTRANS_IDLE)
        roll_back(batch, &run);
    if (run.ending == ENDING_LOST)
        db_drop(batch->db);
    batch->open = false;
    db_batch_continue(batch);
}
