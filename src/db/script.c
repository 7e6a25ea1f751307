/*
 * SQL of several statements at once, by the simple protocol.
 */
#include <string.h>

#include "base/buffer.h"
#include "base/log.h"
#include "db/live.h"
#include "db/wire.h"

static enum status status_of(const PGresult *result)
{
    ExecStatusType outcome = PQresultStatus(result);
    if (outcome == PGRES_COMMAND_OK || outcome == PGRES_TUPLES_OK)
        return STATUS_OK;
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (state != NULL && strcmp(state, "55P03") == 0) { /* lock_not_available */
        log_debug("database: %s", PQresultErrorMessage(result));
        return STATUS_UNAVAILABLE;
    }
    log_error("database: %s", PQresultErrorMessage(result));
    bool passing = state == NULL || strncmp(state, "40", 2) == 0; /* transaction rollback */
    return passing ? STATUS_UNAVAILABLE : STATUS_INTERNAL;
}

/* The simple protocol is refused in pipeline mode, in which a prepared connection always is. */
static enum status run_script(struct db *db, PGconn *connection, const char *sql)
{
    if (connection == NULL)
        return STATUS_UNAVAILABLE;
    bool piped = PQpipelineStatus(connection) != PQ_PIPELINE_OFF;
    if (piped && !PQexitPipelineMode(connection))
        return STATUS_INTERNAL;
    PGresult *result = PQexec(connection, sql);
    enum status status = status_of(result);
    PQclear(result);
    if (piped && !PQenterPipelineMode(connection))
        db_drop(db);
    return status;
}

enum status db_script(struct db *db, const char *sql)
{
    return run_script(db, db_live(db), sql);
}

enum status db_script_with_patience(struct db *db, const char *sql)
{
    enum { ATTEMPTS_MOST = 5 };
    enum status status = db_script(db, sql);
    for (int attempt = 1; status == STATUS_UNAVAILABLE && attempt < ATTEMPTS_MOST; attempt++)
        if (db_script(db, "ROLLBACK") == STATUS_OK)
            status = db_script(db, sql);
    return status;
}

enum status db_script_with_name(struct db *db, const char *sql, const char *name)
{
    struct buffer script = {0};
    PGconn *connection = db_live(db);
    char *quoted = connection != NULL ? PQescapeIdentifier(connection, name, strlen(name)) : NULL;
    const char *place = strstr(sql, "%I");
    buffer_add_format(&script, "%.*s%s%s", (int)(place - sql), sql, quoted != NULL ? quoted : "",
                      place + strlen("%I"));
    enum status status =
        quoted != NULL ? run_script(db, connection, script.data) : STATUS_UNAVAILABLE;
    PQfreemem(quoted);
    buffer_free(&script);
    return status;
}

enum status db_continue(struct db *db, const char *sql)
{
    return run_script(db, db_transaction(db), sql);
}
