/*
 * A table from SQLSTATE to status.
 */
#include "db/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

/*
 * What an error of PostgreSQL means here, by the start of its SQLSTATE: PostgreSQL manual, appendix
 * A. Those of class MD are raised by the schema's own functions.
 */
static const struct {
    const char *sqlstate;
    enum status status;
    enum db_ending ending;
} errors[] = {
    {"MD001", STATUS_LOGIN_REQUIRED, DB_ENDING_DONE},
    {"MD002", STATUS_KEY_UNKNOWN, DB_ENDING_DONE},
    {"MD003", STATUS_TIMESTAMP_EXPIRED, DB_ENDING_DONE},
    {"MD004", STATUS_REQUEST_REPLAYED, DB_ENDING_DONE},
    {"MD005", STATUS_OWN_PIECE, DB_ENDING_DONE},
    {"MD006", STATUS_VOTE_CLOSED, DB_ENDING_DONE},
    {"MD007", STATUS_TOKEN_INVALID, DB_ENDING_DONE},
    {"MD008", STATUS_TOO_MUCH_TODAY, DB_ENDING_DONE},
    {"MD009", STATUS_PARAMETER_INVALID, DB_ENDING_DONE},
    {"23505", STATUS_CONFLICT, DB_ENDING_DONE},           /* unique_violation */
    {"40001", STATUS_UNAVAILABLE, DB_ENDING_ROLLED_BACK}, /* serialization_failure */
    {"40P01", STATUS_UNAVAILABLE, DB_ENDING_ROLLED_BACK}, /* deadlock_detected */
    {"26000", STATUS_UNAVAILABLE, DB_ENDING_STALE},       /* invalid_sql_statement_name */
    {"0A000", STATUS_UNAVAILABLE, DB_ENDING_STALE}, /* cached plan must not change result type */
    {"57014", STATUS_UNAVAILABLE, DB_ENDING_DONE},  /* query_canceled: statement_timeout */
    {"57P", STATUS_UNAVAILABLE, DB_ENDING_LOST},    /* shutdown, crash, starting up */
    {"08", STATUS_UNAVAILABLE, DB_ENDING_LOST},     /* connection exceptions */
    {"53", STATUS_UNAVAILABLE, DB_ENDING_DONE},     /* disk full, out of memory */
    {"58", STATUS_UNAVAILABLE, DB_ENDING_DONE},     /* system and I/O errors */
    {"25006", STATUS_UNAVAILABLE, DB_ENDING_STALE}, /* read_only_sql_transaction: a standby */
    {"55P03", STATUS_UNAVAILABLE, DB_ENDING_DONE},  /* lock_not_available */
    {"", STATUS_INTERNAL, DB_ENDING_DONE},
};

bool db_error_is_of_schema(const PGresult *result)
{
    const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return sqlstate != NULL && (strncmp(sqlstate, "3F", 2) == 0 || strncmp(sqlstate, "42", 2) == 0);
}

enum status db_error_status(const PGresult *result, const char *statement, enum db_ending *ending)
{
    const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    size_t i = 0;
    if (sqlstate == NULL) { /* libpq's own: the connection is lost, whatever PQstatus() says */
        log_warning("database: %s: %s", statement, PQresultErrorMessage(result));
        *ending = DB_ENDING_LOST;
        return STATUS_UNAVAILABLE;
    }
    while (strncmp(sqlstate, errors[i].sqlstate, strlen(errors[i].sqlstate)) != 0)
        i++;
    *ending = errors[i].ending;
    if (errors[i].status == STATUS_UNAVAILABLE || errors[i].status == STATUS_INTERNAL)
        log_error("database: %s: %s %s%s", statement, sqlstate,
                  PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY),
                  db_error_is_of_schema(result)
                      ? "; is the schema up to date (mapdiaryctl migrate --status)?"
                      : "");
    return errors[i].status;
}

/* Connecting ----------------------------------------------------------------------------------- */

/* By the start of the SQLSTATE; all else gets better by itself. */
static const struct {
    const char *sqlstate;
    enum db_failure failure;
} failures[] = {
    {"28", DB_FAILURE_REFUSED},    /* invalid authorization: the role, its password, pg_hba.conf */
    {"3D", DB_FAILURE_REFUSED},    /* no such database */
    {"42501", DB_FAILURE_REFUSED}, /* the role may not connect to it */
    {"53300", DB_FAILURE_FULL},    /* too_many_connections */
};

static enum db_failure failure_of(const char *sqlstate)
{
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        if (strncmp(sqlstate, failures[i].sqlstate, strlen(failures[i].sqlstate)) == 0)
            return failures[i].failure;
    return DB_FAILURE_AWAY;
}

/* "FATAL:  28000: role ...", the first word in the server's language: the code, or NULL. */
static const char *find_sqlstate(const char *line, size_t length)
{
    enum { START = 3, CODE = 5, END = 2 };
    for (size_t i = 0; i + START + CODE + END <= length; i++)
        if (strncmp(line + i, ":  ", START) == 0 &&
            strspn(line + i + START, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == CODE &&
            strncmp(line + i + START + CODE, ": ", END) == 0)
            return line + i + START;
    return NULL;
}

/* Without the code and what follows it. */
static void add_line(char *reason, size_t size, const char *line, size_t length, const char *code)
{
    size_t used = strlen(reason), before = code != NULL ? (size_t)(code - line) : length;
    const char *rest = code != NULL ? code + strlen("28000: ") : line + length;
    snprintf(reason + used, size - used, "%s%.*s%.*s", used > 0 ? "\n" : "", (int)before, line,
             (int)(line + length - rest), rest);
}

enum db_failure db_error_of_connecting(const char *message, char *reason, size_t size)
{
    static const char place[] = "LOCATION:"; /* in PostgreSQL's own source */
    enum db_failure failure = DB_FAILURE_AWAY;
    *reason = '\0';
    for (const char *line = message; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        const char *code = find_sqlstate(line, length);
        if (code != NULL && failure_of(code) > failure)
            failure = failure_of(code);
        if (length > 0 && strncmp(line, place, sizeof place - 1) != 0)
            add_line(reason, size, line, length, code);
        line += length + (line[length] == '\n');
    }
    return failure;
}
