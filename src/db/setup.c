/*
 * The role of the server, settings and prepared statements, all in one round trip.
 */
#include "db/setup.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "db/internal.h"

enum { CANCEL_FIRST = 1000 }; /* milliseconds */

/* Asked of each new session, as a pooler may remember an earlier role; booleans in binary. */
static const char role[] = "SELECT pg_is_in_recovery(),"
                           " current_setting('transaction_read_only') = 'on',"
                           " current_setting('synchronous_standby_names') <> ''";
enum { IN_RECOVERY, READ_ONLY, SYNCHRONOUS };

/* db_cancel() comes first; this is for a worker that died before it could. */
static int64_t statement_timeout(int64_t timeout)
{
    return timeout > 0 ? timeout + CANCEL_FIRST : 0;
}

/*
 * A request that waits for a row which another transaction holds for long, as an administrator's
 * may, gives up before its time is over, and leaves the worker to others. PostgreSQL looks for
 * deadlocks after a second (deadlock_timeout), and is to find them first: after a deadlock the
 * batch is sent again.
 */
static const char *lock_timeout(int64_t timeout)
{
    return timeout > 0 ? "2s" : "0";
}

static bool send_query(struct db *db, const char *sql, int count, const char *const *values)
{
    db->setup.unacknowledged++;
    return PQsendQueryParams(db->connection, sql, count, NULL, values, NULL, NULL, 1);
}

static bool send_each(struct db *db, const struct db_setting *setting)
{
    bool sent = true;
    for (; sent && setting != NULL && setting->name != NULL; setting++)
        sent = send_query(db, "SELECT set_config($1, $2, false)", 2,
                          (const char *const[]){setting->name, setting->value});
    return sent;
}

/*
 * A batch that only reads is one snapshot without a BEGIN, as it inherits its isolation from these
 * settings; a batch that writes asks for another isolation. All look-ups are by key, so the plans
 * are made once.
 */
static bool send_settings(struct db *db)
{
    char timeout[TEXT_INTEGER_SIZE];
    const struct db_setting settings[] = {
        {"search_path", db->options->schema != NULL ? db->options->schema : "mapdiary"},
        {"TimeZone", db->options->timezone},
        {"statement_timeout", text_from_integer(statement_timeout(db->options->timeout), timeout)},
        {"lock_timeout", lock_timeout(db->options->timeout)},
        {"default_transaction_isolation", "repeatable read"},
        {"plan_cache_mode", "force_generic_plan"},
        {"jit", "off"},
        {NULL, NULL},
    };
    return send_each(db, settings) && send_each(db, db->options->settings);
}

static bool prepare(struct db *db, const char *name, const char *sql)
{
    db->setup.unacknowledged++;
    return PQsendPrepare(db->connection, name, sql, 0, NULL);
}

static bool send_statement(struct db *db, const struct db_statement *statement)
{
    if ((statement->use & db->options->use) == 0)
        return true;
    if ((statement->use & DB_OPENING) != 0)
        return send_query(db, statement->sql, 0, NULL);
    return db->options->unprepared || prepare(db, statement->name, statement->sql);
}

static bool send_statements(struct db *db)
{
    for (const struct db_statement *const *table = db->options->registry; *table != NULL; table++)
        for (const struct db_statement *statement = *table; statement->name != NULL; statement++)
            if (!send_statement(db, statement))
                return false;
    return true;
}

/* All in one round trip. The end of the pipeline is acknowledged too. */
bool db_setup_send(struct db *db)
{
    db->setup = (struct db_setup){.unacknowledged = 1};
    return PQenterPipelineMode(db->connection) && send_query(db, role, 0, NULL) &&
           send_settings(db) && prepare(db, DB_BEGIN, "BEGIN ISOLATION LEVEL READ COMMITTED") &&
           prepare(db, DB_COMMIT, "COMMIT") && send_statements(db) &&
           PQpipelineSync(db->connection) && PQflush(db->connection) >= 0;
}

/* What a refusal means, by the start of its SQLSTATE. */
static const struct refusal {
    const char *sqlstate;
    enum db_failure failure;
    const char *hint;
} refusals[] = {
    {"22023", DB_FAILURE_TIMEZONE, "is 'timezone' one that PostgreSQL knows?"},
    {"42P05", DB_FAILURE_POOLER, /* a statement of that name is prepared already */
     "is a pooler between that shares sessions (PgBouncer: pool_mode = session)?"},
    {"57", DB_FAILURE_AWAY, "it shuts down:"},
    {"53", DB_FAILURE_AWAY, "it is short of something:"},
    {"", DB_FAILURE_SCHEMA, "is the schema up to date (mapdiaryctl migrate --status)?"},
};

static const struct refusal *refusal_of(const PGresult *result)
{
    static const struct refusal lost = {"", DB_FAILURE_AWAY, "the connection was lost:"};
    const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const struct refusal *refusal = refusals;
    if (sqlstate == NULL)
        return &lost;
    while (strncmp(sqlstate, refusal->sqlstate, strlen(refusal->sqlstate)) != 0)
        refusal++;
    return refusal;
}

static bool is_success(struct db *db, const PGresult *result, char *reason, size_t size)
{
    ExecStatusType outcome = PQresultStatus(result);
    if (outcome == PGRES_COMMAND_OK || outcome == PGRES_TUPLES_OK || outcome == PGRES_PIPELINE_SYNC)
        return true;
    const struct refusal *refusal = refusal_of(result);
    db->setup.failure = refusal->failure;
    snprintf(reason, size, "the connection could not be prepared; %s %s", refusal->hint,
             PQresultErrorMessage(result));
    return false;
}

/* Notes the role; false where it is not the one that is wanted. */
static bool take_role(struct db *db, const PGresult *result, char *reason, size_t size)
{
    db->setup.knows_role = true;
    bool read_only = *PQgetvalue(result, 0, READ_ONLY) != 0;
    enum hosts_role wanted = hosts_role(db->hosts);
    db->setup.is_synchronous = *PQgetvalue(result, 0, SYNCHRONOUS) != 0;
    db->setup.is_standby = *PQgetvalue(result, 0, IN_RECOVERY) != 0;
    if ((wanted == HOSTS_PRIMARY && db->setup.is_standby) ||
        (wanted == HOSTS_WRITABLE && read_only))
        snprintf(reason, size, "it is %s", db->setup.is_standby ? "a standby" : "read-only");
    else if (wanted == HOSTS_STANDBY && !db->setup.is_standby)
        snprintf(reason, size, "it is not a standby");
    else
        return true;
    return false;
}

static bool take_result(struct db *db, const PGresult *result, char *reason, size_t size)
{
    if (!is_success(db, result, reason, size))
        return false;
    return db->setup.knows_role || take_role(db, result, reason, size);
}

bool db_setup_take(struct db *db, char *reason, size_t size)
{
    snprintf(reason, size, "the connection was lost while it was prepared");
    db->setup.failure = DB_FAILURE_AWAY;
    if (!PQconsumeInput(db->connection) || PQflush(db->connection) < 0)
        return false;
    while (db->setup.unacknowledged > 0 && !PQisBusy(db->connection)) {
        PGresult *result = PQgetResult(db->connection);
        bool success = result == NULL || take_result(db, result, reason, size);
        db->setup.unacknowledged -= result != NULL; /* each but the last is followed by a NULL */
        PQclear(result);
        if (!success)
            return false;
    }
    return true;
}

bool db_setup_is_done(const struct db *db)
{
    return db->setup.unacknowledged == 0;
}
