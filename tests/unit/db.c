#include "db.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

struct db *db;
struct arena *arena;
struct db_batch *batch;
struct db_counters db_counters;

/* No rollback takes back what a sequence counts. */
static const char schema[] =
    "CREATE SCHEMA IF NOT EXISTS mapdiary; SET search_path = mapdiary;"
    "DROP TABLE IF EXISTS thing, later; DROP SEQUENCE IF EXISTS runs;"
    "CREATE TABLE thing (id bigint PRIMARY KEY, number bigint NOT NULL DEFAULT 0);"
    "CREATE TABLE later (id bigint UNIQUE DEFERRABLE INITIALLY DEFERRED);"
    "CREATE SEQUENCE runs;"
    "CREATE OR REPLACE FUNCTION run(failures bigint, how text) RETURNS bigint LANGUAGE plpgsql AS $$"
    " DECLARE number bigint := nextval('runs'); BEGIN"
    "  IF number > failures THEN RETURN number; END IF;"
    "  IF how = 'die' THEN PERFORM pg_terminate_backend(pg_backend_pid()), pg_sleep(60); END IF;"
    "  RAISE EXCEPTION USING ERRCODE = how; END $$";

static const struct db_statement own_statements[] = {
    {"test_runs", "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM runs", false,
     DB_SERVICE},
    {"test_things", "SELECT count(*) FROM thing", false, DB_SERVICE},
    DB_STATEMENTS_END,
};

static const struct db_statement *registry[] = {own_statements, NULL, NULL};
static struct db_options options = {.timezone = "Asia/Taipei",
                                    .patience = 5000,
                                    .registry = registry,
                                    .use = DB_SERVICE,
                                    .counters = &db_counters};

void test_db_set_timeout(int64_t timeout)
{
    db_free(&db);
    options.conninfo = getenv("MAPDIARY_TEST_DATABASE");
    options.timeout = timeout;
    db = db_new(&options);
    assert_int_equal(db_connect(db), STATUS_OK);
    batch = db_batch_new(db, arena);
    db_start_request(db, "test");
}

int test_db_begin(const struct db_statement *statements)
{
    test_db_script(schema);
    registry[1] = statements;
    arena = arena_new();
    test_db_set_timeout(20000);
    return 0;
}

int test_db_end(void **state)
{
    (void)state;
    db_batch_reset(batch);
    db_free(&db);
    arena_free(&arena);
    return 0;
}

void test_db_script(const char *sql)
{
    const struct db_options plain = {.conninfo = getenv("MAPDIARY_TEST_DATABASE"),
                                     .patience = 5000};
    struct db *other = db_new(&plain);
    enum status status = db_script(other, sql);
    db_free(&other);
    expect_integer(sql, status, STATUS_OK);
}

void test_db_kill(const struct db *victim)
{
    char kill[80];
    snprintf(kill, sizeof kill, "SELECT pg_terminate_backend(%d, 5000)", db_backend(victim));
    test_db_script(kill);
}

enum status test_db_run_quietly(void)
{
    unit_log_begin();
    enum status status = db_batch_run(batch);
    free(unit_log_end());
    return status;
}

/* In a batch of its own, as a request that comes next. */
static int64_t integer(struct db *on, const struct db_statement *statement)
{
    struct db_batch *next = db_batch_new(on, arena);
    const struct db_rows *rows = db_batch_add(next, statement, NULL, 0);
    db_start_request(on, "next");
    expect_integer(statement->name, db_batch_run(next), STATUS_OK);
    struct db_row row = db_row(rows, 0);
    int64_t value = db_read_integer(&row);
    db_batch_reset(next);
    return value;
}

int64_t test_db_runs(void)
{
    return integer(db, &own_statements[0]);
}

void test_db_forget_runs(void)
{
    test_db_script("ALTER SEQUENCE mapdiary.runs RESTART");
}

int64_t test_db_things(void)
{
    return integer(db, &own_statements[1]);
}

int64_t test_db_things_of_others(void)
{
    struct db *other = db_new(&options);
    int64_t things = integer(other, &own_statements[1]);
    db_free(&other);
    return things;
}
