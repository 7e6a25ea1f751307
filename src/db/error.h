/*
 * What PostgreSQL's errors mean here.
 */
#ifndef MAPDIARY_DB_ERROR_H
#define MAPDIARY_DB_ERROR_H

#include <libpq-fe.h>
#include <stdbool.h>

#include "base/status.h"
#include "db/failure.h"

/*
 * How the run of a batch ended, beside its status, and what follows from it.
 *
 *                   connection    transaction    sent again
 *    DONE           kept          as that says   no
 *    ROLLED_BACK    kept          rolled back    yes, 4 times in all
 *    STALE          dropped       rolled back    yes, 4 times in all
 *    LOST           dropped       unknown        once, where it only reads
 */
enum db_ending {
    DB_ENDING_DONE,
    DB_ENDING_ROLLED_BACK, /* by PostgreSQL, for a reason that may not come again */
    DB_ENDING_STALE,       /* rolled back too, and another connection is needed */
    DB_ENDING_LOST         /* the connection broke */
};

/** What a result that is an error means for its statement, which the log names. */
enum status db_error_status(const PGresult *result, const char *statement, enum db_ending *ending);

/** True if a statement names a schema, table, column or function that is not there, or is not for
 * the role. */
bool db_error_is_of_schema(const PGresult *result);

/**
 * What libpq says of an attempt to connect that failed, at PQERRORS_VERBOSE: writes it as others
 * than developers read it, and answers DB_FAILURE_AWAY, _FULL or _REFUSED.
 */
enum db_failure db_error_of_connecting(const char *message, char *reason, size_t size);

#endif
