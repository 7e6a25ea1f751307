/*
 * Walks the registries and holds each statement against a database with the schema:
 * MAPDIARY_TEST_DATABASE is a libpq connection string of the service's role.
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/cluster.h"
#include "store/migration.h"
#include "store/registry.h"
#include "unit.h"

static PGconn *connection;

static void run(const char *command)
{
    PGresult *result = PQexec(connection, command);
    ExecStatusType outcome = PQresultStatus(result);
    PQclear(result);
    if (outcome != PGRES_COMMAND_OK && outcome != PGRES_TUPLES_OK)
        fail_msg("%s: %s", command, PQerrorMessage(connection));
}

static size_t prepared;

/* PostgreSQL refuses a name that was prepared already. */
static void prepare(const struct db_statement *statement)
{
    PGresult *result = PQprepare(connection, statement->name, statement->sql, 0, NULL);
    if (PQresultStatus(result) != PGRES_COMMAND_OK)
        fail_msg("%s: %s", statement->name, PQerrorMessage(connection));
    PQclear(result);
    if (statement->use == 0)
        fail_msg("%s: nobody uses it", statement->name);
    prepared++;
}

typedef void statement_test(const struct db_statement *statement);

/* Prepares the statements of every registry in turn, as one connection has them, for the test. */
static void for_each(statement_test *test)
{
    const struct db_statement *const *const registries[] = {store_registry, migration_registry,
                                                            cluster_registry};
    for (size_t i = 0; i < COUNT(registries); i++) {
        run("DEALLOCATE ALL");
        for (const struct db_statement *const *table = registries[i]; *table != NULL; table++)
            for (const struct db_statement *row = *table; row->name != NULL; row++) {
                prepare(row);
                if (test != NULL)
                    test(row);
            }
    }
}

static void each_can_be_prepared(void **state)
{
    (void)state;
    for_each(NULL);
    assert_true(prepared > 20);
}

/* Runs it with NULL for every parameter, and takes back what it did. The SQLSTATE, "" where it was
 * carried out. */
static void sqlstate_of(const struct db_statement *statement, const char *begin,
                        char sqlstate[static 6])
{
    const char *const nothing[32] = {NULL};
    PGresult *description = PQdescribePrepared(connection, statement->name);
    int count = PQnparams(description);
    PQclear(description);
    run(begin);
    PGresult *result = PQexecPrepared(connection, statement->name, count, nothing, NULL, NULL, 0);
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    snprintf(sqlstate, 6, "%s", code != NULL ? code : "");
    PQclear(result);
    run("ROLLBACK");
}

/* In a transaction that may only read, what writes or locks is refused: 25006. A check that refuses
 * (class MD) has only read. */
static void check_writes(const struct db_statement *statement)
{
    char sqlstate[6];
    sqlstate_of(statement, "BEGIN READ ONLY", sqlstate);
    bool only_read = strncmp(sqlstate, "MD", 2) == 0;
    expect_text(statement->name, only_read ? "" : sqlstate, statement->writes ? "25006" : "");
}

static void each_says_whether_it_writes(void **state)
{
    (void)state;
    for_each(check_writes);
}

/* Class 42 is a missing privilege, or a name that only turns up inside of a function. */
static void check_privileges(const struct db_statement *statement)
{
    char sqlstate[6];
    sqlstate_of(statement, "BEGIN", sqlstate);
    if (strncmp(sqlstate, "42", 2) == 0)
        fail_msg("%s: %s", statement->name, sqlstate);
}

static void the_administrator_may_run_each(void **state)
{
    (void)state;
    for_each(check_privileges);
}

static void check_of_requests(const struct db_statement *statement)
{
    if ((statement->use & DB_SERVICE) != 0)
        check_privileges(statement);
}

/* As the role that cannot read the tables of pieces. */
static void requests_may_run_theirs(void **state)
{
    (void)state;
    run("SELECT become_visitor()");
    for_each(check_of_requests);
    run("RESET ROLE");
}

static int connect_service(void **state)
{
    (void)state;
    connection = PQconnectdb(getenv("MAPDIARY_TEST_DATABASE"));
    if (PQstatus(connection) != CONNECTION_OK)
        fail_msg("%s", PQerrorMessage(connection));
    run("SET search_path = mapdiary");
    run("SET client_min_messages = error");
    return 0;
}

static int disconnect(void **state)
{
    (void)state;
    PQfinish(connection);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_can_be_prepared),
        cmocka_unit_test(each_says_whether_it_writes),
        cmocka_unit_test(the_administrator_may_run_each),
        cmocka_unit_test(requests_may_run_theirs),
    };
    if (!unit_has_database())
        return UNIT_SKIPPED;
    return cmocka_run_group_tests(tests, connect_service, disconnect);
}
