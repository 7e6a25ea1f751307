/*
 * One probe at a time is in flight, on the same pipeline as the batches.
 */
#include "db/probe.h"

#include <stdio.h>

#include "base/clock.h"
#include "db/internal.h"
#include "db/wire.h"

bool db_probe_send(struct db *db, const struct db_statement *statement, const char *value)
{
    if (db->phase != DB_READY || db->probe.state != DB_PROBE_NONE)
        return false;
    db->probe = (struct db_probe){.state = DB_PROBE_SENT, .sent_at = clock_milliseconds()};
    if (PQsendQueryParams(db->connection, statement->sql, value != NULL, NULL, &value, NULL, NULL,
                          0) &&
        PQpipelineSync(db->connection) && PQflush(db->connection) >= 0)
        return true;
    db_drop(db);
    return false;
}

/* A row, the NULL after it, and the end of the pipeline: the answer is complete. */
static void take(struct db_probe *probe, PGresult *result)
{
    ExecStatusType outcome = PQresultStatus(result);
    if (outcome == PGRES_TUPLES_OK && PQntuples(result) == 1)
        snprintf(probe->answer, sizeof probe->answer, "%s", PQgetvalue(result, 0, 0));
    else if (result != NULL && outcome == PGRES_PIPELINE_SYNC)
        probe->state = DB_PROBE_ANSWERED;
    PQclear(result);
}

void db_probe_receive(struct db *db)
{
    while (db->probe.state == DB_PROBE_SENT && PQstatus(db->connection) == CONNECTION_OK &&
           !PQisBusy(db->connection))
        take(&db->probe, PQgetResult(db->connection));
}

/* No result at all is the end of a statement's. */
static bool is_loss(const struct db *db, const PGresult *result)
{
    return PQstatus(db->connection) != CONNECTION_OK ||
           (result != NULL && PQresultStatus(result) == PGRES_FATAL_ERROR &&
            PQresultErrorField(result, PG_DIAG_SQLSTATE) == NULL);
}

enum status db_probe_wait(struct db *db)
{
    PGresult *result = NULL;
    while (db->probe.state == DB_PROBE_SENT) {
        enum status status = db_next_result(db, &result);
        bool lost = is_loss(db, result);
        if (status != STATUS_OK || lost) {
            PQclear(result);
            return STATUS_UNAVAILABLE;
        }
        take(&db->probe, result);
    }
    return STATUS_OK;
}

const char *db_probe_answer(struct db *db)
{
    if (db->probe.state != DB_PROBE_ANSWERED)
        return NULL;
    db->probe.state = DB_PROBE_NONE;
    return db->probe.answer;
}

int64_t db_probe_sent_at(const struct db *db)
{
    return db->probe.sent_at;
}

bool db_probe_is_overdue(const struct db *db, int64_t most)
{
    return db->probe.state == DB_PROBE_SENT && clock_milliseconds() - db->probe.sent_at > most;
}
