/*
 * Settings and prepared statements, all in one round trip, and the role of the server.
 */
#include "db/setup.h"

#include <stdio.h>
#include <string.h>

#include "db/internal.h"

enum { CANCEL_FIRST = 1000 }; /* milliseconds */

/*
 * A batch that only reads is one snapshot without a word said, as it inherits its isolation from
 * here; one that writes asks for another. All look-ups are by key, so the plans are made once.
 */
static const char settings[] =
    "SELECT set_config('search_path', $3, false),"
    " set_config('TimeZone', $1, false),"
    " set_config('statement_timeout', $2, false),"
    " set_config('lock_timeout', $4, false),"
    " set_config('default_transaction_isolation', 'repeatable read', false),"
    " set_config('plan_cache_mode', 'force_generic_plan', false),"
    " set_config('jit', 'off', false),"
    " set_config('mapdiary.public_url', rtrim($5, '/'), false),"
    " set_config('mapdiary.held_words', $6, false),"
    " set_config('mapdiary.first_week_pieces', $7, false),"
    " set_config('mapdiary.first_week_comments', $8, false),"
    " set_config('mapdiary.first_week_photos', $9, false),"
    " CASE WHEN ROW($6, $7, $8, $9) <> ROW('', '0', '0', '0') THEN"
    "  set_config('mapdiary.rules', 'on', false) END,"
    " pg_is_in_recovery(), current_setting('transaction_read_only') = 'on',"
    " current_setting('synchronous_standby_names') <> ''";

/* Its last columns, booleans in binary. Asked here, as a pooler may remember what was. */
enum { IN_RECOVERY = 13, READ_ONLY, SYNCHRONOUS, SETTINGS };

/* db_cancel() comes first; this is for a worker that died before it could. */
static int64_t statement_timeout(int64_t timeout)
{
    return timeout > 0 ? timeout + CANCEL_FIRST : 0;
}

/*
 * Whoever waits for a row that somebody holds for long, as an administrator's transaction may,
 * gives up before the time of the request is over, and leaves the worker to others. PostgreSQL
 * looks for deadlocks after a second (deadlock_timeout), and is to find them first: after one of
 * these the batch is sent again.
 */
static const char *lock_timeout(int64_t timeout)
{
    return timeout > 0 ? "2s" : "0";
}

static bool send_settings(struct db *db)
{
    char timeout[24];
    snprintf(timeout, sizeof timeout, "%lld", (long long)statement_timeout(db->options->timeout));
    const char *schema = db->options->schema != NULL ? db->options->schema : "mapdiary";
    const char *public_url = db->options->public_url != NULL ? db->options->public_url : "";
    static char no_words[] = "";
    static const struct db_rules no_rules = {.held_words = no_words};
    const struct db_rules *rules = db->options->rules != NULL ? db->options->rules : &no_rules;
    char most[3][24];
    for (int i = 0; i < 3; i++)
        snprintf(most[i], sizeof most[i], "%lld", (long long)rules->first_week[i]);
    const char *const values[] = {db->options->timezone,
                                  timeout,
                                  schema,
                                  lock_timeout(db->options->timeout),
                                  public_url,
                                  rules->held_words,
                                  most[0],
                                  most[1],
                                  most[2]};
    db->setup.unacknowledged = 1;
    return PQsendQueryParams(db->connection, settings, 9, NULL, values, NULL, NULL, 1);
}

static bool send_statement(PGconn *connection, const struct db_statement *statement)
{
    if ((statement->use & DB_OPENING) != 0)
        return PQsendQueryParams(connection, statement->sql, 0, NULL, NULL, NULL, NULL, 1);
    return PQsendPrepare(connection, statement->name, statement->sql, 0, NULL);
}

static bool send_statements(struct db *db)
{
    for (const struct db_statement *const *table = db->options->registry; *table != NULL; table++)
        for (const struct db_statement *statement = *table; statement->name != NULL; statement++) {
            if ((statement->use & db->options->use) == 0)
                continue;
            if (!send_statement(db->connection, statement))
                return false;
            db->setup.unacknowledged++;
        }
    return true;
}

/* What is around each write: parsed once, too. */
static const char begin[] = "BEGIN ISOLATION LEVEL READ COMMITTED";
static const char commit[] = "COMMIT";

static bool send_ends(struct db *db)
{
    db->setup.unacknowledged += 2;
    return PQsendPrepare(db->connection, DB_BEGIN, begin, 0, NULL) &&
           PQsendPrepare(db->connection, DB_COMMIT, commit, 0, NULL);
}

/* All in one round trip. The end of the pipeline is acknowledged too. */
bool db_setup_send(struct db *db)
{
    if (!PQenterPipelineMode(db->connection) || !send_settings(db) || !send_ends(db) ||
        !send_statements(db) || !PQpipelineSync(db->connection))
        return false;
    db->setup.unacknowledged++;
    return PQflush(db->connection) >= 0;
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

/* Notes the role that the settings came with; false where it is not the one that is wanted. */
static bool take_role(struct db *db, const PGresult *result, char *reason, size_t size)
{
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
    return PQnfields(result) != SETTINGS || take_role(db, result, reason, size);
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
