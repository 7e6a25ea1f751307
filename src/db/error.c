/*
 * A table from SQLSTATE to status.
 */
#include "db/error.h"

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
        log_error("database: %s: %s %s", statement, sqlstate,
                  PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
    return errors[i].status;
}
