#include <stdio.h>

#include "base/clock.h"
#include "db/internal.h"

bool db_ask(struct db *db, const struct db_statement *statement, const char *value)
{
    if (db->phase != DB_READY || db->question != DB_NOTHING_ASKED)
        return false;
    db->question = DB_ASKED;
    db->asked_at = clock_milliseconds();
    db->answer[0] = '\0';
    if (PQsendQueryParams(db->connection, statement->sql, value != NULL, NULL, &value, NULL, NULL,
                          0) &&
        PQpipelineSync(db->connection) && PQflush(db->connection) >= 0)
        return true;
    db_drop(db);
    return false;
}

/* A row, the NULL after it, and the end of the pipeline: the answer is complete. */
static void take(struct db *db, PGresult *result)
{
    ExecStatusType outcome = PQresultStatus(result);
    if (outcome == PGRES_TUPLES_OK && PQntuples(result) == 1)
        snprintf(db->answer, sizeof db->answer, "%s", PQgetvalue(result, 0, 0));
    else if (result != NULL && outcome == PGRES_PIPELINE_SYNC)
        db->question = DB_ANSWERED;
    PQclear(result);
}

void db_hear(struct db *db)
{
    while (db->question == DB_ASKED && PQstatus(db->connection) == CONNECTION_OK &&
           !PQisBusy(db->connection))
        take(db, PQgetResult(db->connection));
}

const char *db_answer(struct db *db)
{
    if (db->question != DB_ANSWERED)
        return NULL;
    db->question = DB_NOTHING_ASKED;
    return db->answer;
}

/* No result at all is the end of a statement's. */
static bool is_loss(const struct db *db, const PGresult *result)
{
    return PQstatus(db->connection) != CONNECTION_OK ||
           (result != NULL && PQresultStatus(result) == PGRES_FATAL_ERROR &&
            PQresultErrorField(result, PG_DIAG_SQLSTATE) == NULL);
}

enum status db_settle(struct db *db)
{
    PGresult *result = NULL;
    while (db->question == DB_ASKED) {
        enum status status = db_next_result(db, &result);
        bool lost = is_loss(db, result);
        if (status != STATUS_OK || lost) {
            PQclear(result);
            return STATUS_UNAVAILABLE;
        }
        take(db, result);
    }
    return STATUS_OK;
}
