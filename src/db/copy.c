/*
 * Leaves the pipeline for COPY, and enters it again.
 */
#include "db/copy.h"

#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "db/internal.h"
#include "db/live.h"
#include "db/wire.h"

static enum status fail(PGconn *connection, const PGresult *result)
{
    const char *message =
        result != NULL ? PQresultErrorMessage(result) : PQerrorMessage(connection);
    const char *state = result != NULL ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    log_error("database: %s", message);
    return state == NULL ? STATUS_UNAVAILABLE : STATUS_INTERNAL;
}

/* COPY is refused in pipeline mode; and as nobody else is served meanwhile, it may block. */
static PGconn *leave_pipeline(struct db *db)
{
    PGconn *connection = db_transaction(db);
    if (connection == NULL || !PQexitPipelineMode(connection) ||
        PQsetnonblocking(connection, 0) != 0)
        return NULL;
    return connection;
}

static void enter_pipeline(struct db *db)
{
    if (PQsetnonblocking(db->connection, 1) != 0 || !PQenterPipelineMode(db->connection))
        db_drop(db);
}

static enum status begin(struct db *db, const char *sql, ExecStatusType expected)
{
    PGconn *connection = leave_pipeline(db);
    if (connection == NULL)
        return STATUS_UNAVAILABLE;
    PGresult *result = PQexec(connection, sql);
    enum status status = PQresultStatus(result) == expected ? STATUS_OK : fail(connection, result);
    PQclear(result);
    if (status != STATUS_OK)
        enter_pipeline(db);
    return status;
}

/* The outcome of the whole, after its last line. One that fails as it should says nothing. */
static enum status finish(struct db *db, bool should_fail)
{
    PGresult *result = NULL;
    enum status status = STATUS_OK;
    while ((result = PQgetResult(db->connection)) != NULL) {
        if (PQresultStatus(result) != PGRES_COMMAND_OK && status == STATUS_OK && !should_fail)
            status = fail(db->connection, result);
        PQclear(result);
    }
    enter_pipeline(db);
    return status;
}

enum status db_copy_begin(struct db *db, const char *sql)
{
    return begin(db, sql, PGRES_COPY_IN);
}

enum status db_copy_write(struct db *db, const char *bytes, size_t length)
{
    return PQputCopyData(db->connection, bytes, (int)length) == 1 ? STATUS_OK
                                                                  : fail(db->connection, NULL);
}

enum status db_copy_end(struct db *db, const char *reason)
{
    if (PQputCopyEnd(db->connection, reason) != 1)
        return fail(db->connection, NULL);
    return finish(db, reason != NULL);
}

/* PostgreSQL manual, COPY, "Text Format". */
static void add_escaped(struct buffer *row, const char *text)
{
    static const char special[] = "\\\t\n\r";
    static const char letters[] = "\\tnr";
    while (*text != '\0') {
        size_t plain = strcspn(text, special);
        buffer_add(row, text, plain);
        text += plain;
        if (*text != '\0') {
            buffer_add(row, "\\", 1);
            buffer_add(row, &letters[strchr(special, *text) - special], 1);
            text++;
        }
    }
}

void db_copy_add_value(struct buffer *row, const char *text)
{
    if (text == NULL)
        buffer_add(row, "\\N", 2);
    else
        add_escaped(row, text);
    buffer_add(row, "\t", 1);
}

void db_copy_add_integer(struct buffer *row, int64_t integer)
{
    char digits[TEXT_INTEGER_SIZE];
    db_copy_add_value(row, text_from_integer(integer, digits));
}

/* In the place of the TAB after the last value. */
void db_copy_end_row(struct buffer *row)
{
    row->data[row->length - 1] = '\n';
}

enum status db_copy_out(struct db *db, const char *sql, db_line_function *function, void *context)
{
    char *line = NULL;
    int length = 0;
    enum status status = begin(db, sql, PGRES_COPY_OUT);
    if (status != STATUS_OK)
        return status;
    while (status == STATUS_OK && (length = PQgetCopyData(db->connection, &line, 0)) > 0) {
        status = function(context, line, (size_t)length);
        PQfreemem(line);
    }
    if (status != STATUS_OK) { /* nobody wants the rest */
        db_drop(db);
        return status;
    }
    return length == -1 ? finish(db, false) : fail(db->connection, NULL);
}
