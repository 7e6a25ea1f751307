#include "db/batch.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "db.h"
#include "unit.h"

enum {
    RUN,
    RUN_WRITE,
    RUNS,
    INSERT,
    INSERT_LATER,
    COUNT_THINGS,
    SUM,
    TRANSACTION,
    TRANSACTION_WRITE,
    ECHO,
    SERIES,
    SERIES_THAT_BREAKS,
    SERIES_THAT_DIES,
    SLEEP,
    WIDENED
};

static const char schema[] =
    "CREATE SCHEMA IF NOT EXISTS mapdiary; SET search_path = mapdiary;"
    "DROP TABLE IF EXISTS thing, later; DROP SEQUENCE IF EXISTS runs CASCADE;"
    "CREATE TABLE thing (id bigint PRIMARY KEY, number bigint NOT NULL DEFAULT 0);"
    "CREATE TABLE later (id bigint UNIQUE DEFERRABLE INITIALLY DEFERRED);"
    "CREATE SEQUENCE runs;" /* which no rollback takes back */
    "CREATE OR REPLACE FUNCTION run(failures bigint, how text) RETURNS bigint LANGUAGE plpgsql AS $$"
    " DECLARE number bigint := nextval('runs'); BEGIN"
    "  IF number > failures THEN RETURN number; END IF;"
    "  IF how = 'die' THEN PERFORM pg_terminate_backend(pg_backend_pid()), pg_sleep(60); END IF;"
    "  RAISE EXCEPTION USING ERRCODE = how; END $$";

static const struct db_statement statements[] = {
    [RUN] = {"run", "SELECT run($1, $2)", "l", false},
    [RUN_WRITE] = {"run_write", "SELECT run($1, $2)", "l", true},
    [RUNS] = {"runs", "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM runs", "l",
              false},
    [INSERT] = {"insert", "INSERT INTO thing (id) VALUES ($1)", "", true},
    [INSERT_LATER] = {"insert_later", "INSERT INTO later VALUES ($1)", "", true},
    [COUNT_THINGS] = {"count", "SELECT count(*) FROM thing", "l", false},
    [SUM] = {"sum", "SELECT sum(number)::bigint FROM thing", "l", false},
    [TRANSACTION] = {"transaction",
                     "SELECT current_setting('transaction_isolation'), current_setting('TimeZone'),"
                     " now()::text",
                     "ttt", false},
    [TRANSACTION_WRITE] = {"transaction_write",
                           "SELECT current_setting('transaction_isolation'), 'x', now()::text",
                           "ttt", true},
    [ECHO] = {"echo", "SELECT $1::text", "t", false},
    [SERIES] = {"series", "SELECT generate_series(1, $1::bigint)", "l", false},
    [SERIES_THAT_BREAKS] = {"series_that_breaks",
                            "SELECT i / (i - 100000) FROM generate_series(1, 200000) i", "l",
                            false},
    [SERIES_THAT_DIES] = {"series_that_dies",
                          "SELECT CASE WHEN i = 100000 THEN run(9, 'die') ELSE i END"
                          " FROM generate_series(1::bigint, 200000) i",
                          "l", false},
    [SLEEP] = {"sleep", "SELECT nextval('runs'), pg_sleep(10)::text", "lt", false},
    [WIDENED] = {"widened", "SELECT number FROM thing WHERE id = 1", "l", false},
    DB_STATEMENTS_END,
};

static struct db *db;
static struct arena *arena;
static struct db_batch *batch;

static int begin(void **state)
{
    (void)state;
    test_db_script(schema);
    db = test_db_open(statements, 20000);
    arena = arena_new();
    batch = db_batch_new(db, arena);
    db_start_request(db, "test");
    return 0;
}

static int end(void **state)
{
    (void)state;
    db_batch_reset(batch);
    db_free(&db);
    arena_free(&arena);
    return 0;
}

/* Runs the batch without its complaints. */
static enum status run_quietly(struct db_batch *quiet)
{
    unit_log_begin();
    enum status status = db_batch_run(quiet);
    free(unit_log_end());
    return status;
}

static int64_t integer(int statement)
{
    return test_db_integer(db, &statements[statement]);
}

static int64_t integer_of(const struct db_rows *rows)
{
    assert_int_equal(db_rows_count(rows), 1);
    struct db_row row = db_row(rows, 0);
    return db_read_integer(&row);
}

/* Errors -------------------------------------------------------------------------------------- */

/* How often each is run where it always fails. */
static void errors(void **state)
{
    static const struct {
        const char *how;
        enum status want;
        int reads, writes;
        bool reconnects;
    } rows[] = {
        {"MD001", STATUS_LOGIN_REQUIRED, 1, 1, false}, {"23505", STATUS_CONFLICT, 1, 1, false},
        {"22012", STATUS_INTERNAL, 1, 1, false},       {"42P01", STATUS_INTERNAL, 1, 1, false},
        {"57014", STATUS_UNAVAILABLE, 1, 1, false},    {"53100", STATUS_UNAVAILABLE, 1, 1, false},
        {"55P03", STATUS_UNAVAILABLE, 1, 1, false},    {"40001", STATUS_UNAVAILABLE, 4, 4, false},
        {"40P01", STATUS_UNAVAILABLE, 4, 4, false},    {"26000", STATUS_UNAVAILABLE, 4, 4, true},
        {"0A000", STATUS_UNAVAILABLE, 4, 4, true},     {"25006", STATUS_UNAVAILABLE, 4, 4, true},
        {"57P01", STATUS_UNAVAILABLE, 2, 1, true},     {"08006", STATUS_UNAVAILABLE, 2, 1, true},
        {"die", STATUS_UNAVAILABLE, 2, 1, true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int writes = 0; writes < 2; writes++) {
            test_db_script("ALTER SEQUENCE mapdiary.runs RESTART");
            assert_int_equal(db_connect(db), STATUS_OK);
            int backend = db_backend(db);
            DB_ADD(batch, &statements[writes ? RUN_WRITE : RUN], db_integer(99),
                   db_text(rows[i].how));
            expect_integer(rows[i].how, run_quietly(batch), rows[i].want);
            expect_integer(rows[i].how, integer(RUNS), writes ? rows[i].writes : rows[i].reads);
            expect_integer(rows[i].how, db_backend(db) != backend, rows[i].reconnects);
            db_batch_reset(batch);
        }
}

/* And where it fails a while and then does not. */
static void what_is_worth_another_attempt(void **state)
{
    static const struct {
        const char *how;
        int failures;
        bool writes;
        enum status want;
    } rows[] = {
        {"40001", 3, true, STATUS_OK},
        {"40001", 4, true, STATUS_UNAVAILABLE},
        {"40P01", 3, true, STATUS_OK},
        {"26000", 1, true, STATUS_OK},
        {"0A000", 1, false, STATUS_OK},
        {"die", 1, false, STATUS_OK},
        {"die", 2, false, STATUS_UNAVAILABLE},
        {"die", 1, true, STATUS_UNAVAILABLE}, /* its fate is unknown */
        {"57P01", 1, false, STATUS_OK},
        {"57014", 1, false, STATUS_UNAVAILABLE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        test_db_script("ALTER SEQUENCE mapdiary.runs RESTART");
        const struct db_rows *got = DB_ADD(batch, &statements[rows[i].writes ? RUN_WRITE : RUN],
                                           db_integer(rows[i].failures), db_text(rows[i].how));
        expect_integer(rows[i].how, run_quietly(batch), rows[i].want);
        if (rows[i].want == STATUS_OK)
            expect_integer(rows[i].how, integer_of(got), rows[i].failures + 1);
        else
            expect_integer(rows[i].how, (long long)db_rows_count(got), 0);
        db_batch_reset(batch);
    }
}

/* Transactions -------------------------------------------------------------------------------- */

static void a_write_that_fails_writes_nothing(void **state)
{
    static const struct {
        const char *how;
        enum status want;
    } rows[] = {
        {"22012", STATUS_INTERNAL},  {"MD001", STATUS_LOGIN_REQUIRED},
        {"23505", STATUS_CONFLICT},  {"57014", STATUS_UNAVAILABLE},
        {"die", STATUS_UNAVAILABLE}, {"40001", STATUS_UNAVAILABLE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        DB_ADD(batch, &statements[INSERT], db_integer(1));
        DB_ADD(batch, &statements[RUN_WRITE], db_integer(1000000), db_text(rows[i].how));
        DB_ADD(batch, &statements[INSERT], db_integer(2));
        expect_integer(rows[i].how, run_quietly(batch), rows[i].want);
        db_batch_reset(batch);
        expect_integer(rows[i].how, integer(COUNT_THINGS), 0);
    }
}

/* And once, though the first attempts had inserted it too. */
static void a_repeated_write_is_written_once(void **state)
{
    (void)state;
    DB_ADD(batch, &statements[INSERT], db_integer(1));
    DB_ADD(batch, &statements[RUN_WRITE], db_integer(3), db_text("40001"));
    assert_int_equal(run_quietly(batch), STATUS_OK);
    assert_int_equal(integer(COUNT_THINGS), 1);
    assert_int_equal(integer(RUNS), 4);
}

/* What is only refused at the commit. */
static void a_commit_can_fail(void **state)
{
    (void)state;
    DB_ADD(batch, &statements[INSERT], db_integer(1));
    DB_ADD(batch, &statements[INSERT_LATER], db_integer(1));
    DB_ADD(batch, &statements[INSERT_LATER], db_integer(1));
    assert_int_equal(run_quietly(batch), STATUS_CONFLICT);
    assert_int_equal(integer(COUNT_THINGS), 0);
}

/* Both rows of a statement that says how its transaction is. */
static void expect_one_transaction(int statement, const char *isolation)
{
    char first[64];
    const struct db_rows *rows[2];
    for (size_t i = 0; i < COUNT(rows); i++)
        rows[i] = db_batch_add(batch, &statements[statement], NULL, 0);
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct db_row row = db_row(rows[i], 0);
        assert_string_equal(db_read_text(&row), isolation);
        (void)db_read_text(&row);
        const char *now = db_read_text(&row);
        if (i == 0)
            snprintf(first, sizeof first, "%s", now);
        assert_string_equal(now, first);
    }
}

static void reads_are_one_snapshot(void **state)
{
    (void)state;
    expect_one_transaction(TRANSACTION, "repeatable read");
}

static void writes_see_what_others_committed(void **state)
{
    (void)state;
    expect_one_transaction(TRANSACTION_WRITE, "read committed");
}

static void days_begin_in_the_time_zone_of_the_service(void **state)
{
    (void)state;
    const struct db_rows *rows = db_batch_add(batch, &statements[TRANSACTION], NULL, 0);
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    struct db_row row = db_row(rows, 0);
    (void)db_read_text(&row);
    assert_string_equal(db_read_text(&row), "Asia/Taipei");
}

/* Each locks the row that the other wants next, until PostgreSQL ends one of them. */
static const struct db_statement crossing[] = {
    {"first", "UPDATE thing SET number = number + 1 WHERE id = $1", "", true},
    {"wait", "SELECT pg_sleep(0.2)::text", "t", true},
    {"second", "UPDATE thing SET number = number + 1 WHERE id = $1", "", true},
    DB_STATEMENTS_END,
};

static void *cross(void *first)
{
    const struct db_statement *const registry[] = {crossing, NULL};
    const struct db_options options = {.conninfo = getenv("MAPDIARY_TEST_DATABASE"),
                                       .timezone = "UTC",
                                       .timeout = 20000,
                                       .patience = 5000,
                                       .registry = registry};
    int64_t id = *(int64_t *)first;
    struct db *own_db = db_new(&options);
    struct arena *own_arena = arena_new();
    struct db_batch *own = db_batch_new(own_db, own_arena);
    DB_ADD(own, &crossing[0], db_integer(id));
    db_batch_add(own, &crossing[1], NULL, 0);
    DB_ADD(own, &crossing[2], db_integer(3 - id));
    *(int64_t *)first = db_batch_run(own);
    db_batch_reset(own);
    arena_free(&own_arena);
    db_free(&own_db);
    return NULL;
}

static void both_sides_of_a_deadlock_succeed(void **state)
{
    int64_t sides[] = {1, 2};
    pthread_t threads[COUNT(sides)];
    (void)state;
    test_db_script("INSERT INTO mapdiary.thing VALUES (1), (2)");
    unit_log_begin();
    for (size_t i = 0; i < COUNT(sides); i++)
        pthread_create(&threads[i], NULL, cross, &sides[i]);
    for (size_t i = 0; i < COUNT(sides); i++)
        pthread_join(threads[i], NULL);
    char *log = unit_log_end();
    assert_int_equal(sides[0], STATUS_OK);
    assert_int_equal(sides[1], STATUS_OK);
    assert_non_null(strstr(log, "40P01")); /* there was one */
    assert_int_equal(integer(SUM), 4);
    free(log);
}

/* Connections --------------------------------------------------------------------------------- */

/* A server that was restarted has closed the connections that nobody used meanwhile: a write finds
 * that out before it is sent. */
static void an_idle_connection_that_was_closed(void **state)
{
    char kill[80];
    (void)state;
    for (int64_t id = 1; id <= 3; id++) {
        snprintf(kill, sizeof kill, "SELECT pg_terminate_backend(%d, 5000)", db_backend(db));
        test_db_script(kill);
        DB_ADD(batch, &statements[INSERT], db_integer(id));
        expect_integer(kill, run_quietly(batch), STATUS_OK);
        db_batch_reset(batch);
        assert_int_equal(integer(COUNT_THINGS), id);
    }
}

static void statements_that_the_server_forgot(void **state)
{
    (void)state;
    assert_int_equal(db_script(db, "DEALLOCATE ALL"), STATUS_OK);
    DB_ADD(batch, &statements[INSERT], db_integer(1));
    assert_int_equal(run_quietly(batch), STATUS_OK);
    assert_int_equal(integer(COUNT_THINGS), 1);
}

/* As a migration does under a running service. */
static void a_table_that_changed(void **state)
{
    (void)state;
    test_db_script("INSERT INTO mapdiary.thing VALUES (1, 7)");
    assert_int_equal(integer(WIDENED), 7);
    test_db_script("ALTER TABLE mapdiary.thing ALTER number TYPE integer");
    const struct db_rows *rows = db_batch_add(batch, &statements[WIDENED], NULL, 0);
    assert_int_equal(run_quietly(batch), STATUS_OK);
    assert_int_equal(integer_of(rows), 7);
}

static void no_time_left(void **state)
{
    (void)state;
    db_free(&db);
    db = test_db_open(statements, 300);
    unsigned long repeats = test_db_counters.repeats;
    int64_t started = clock_milliseconds();
    db_start_request(db, "test");
    poll(NULL, 0, 100); /* now the request ends before PostgreSQL's own limit for a statement */
    db_batch_add(batch = db_batch_new(db, arena), &statements[SLEEP], NULL, 0);
    assert_int_equal(run_quietly(batch), STATUS_UNAVAILABLE);
    assert_in_range(clock_milliseconds() - started, 250, 2000);
    assert_int_equal(test_db_counters.repeats, repeats);
    assert_int_equal(integer(RUNS), 1);
}

static void no_database(void **state)
{
    const struct db_options options = {.conninfo = "host=/nonexistent", .patience = 1000};
    struct db *nowhere = db_new(&options);
    struct db_batch *none = db_batch_new(nowhere, arena);
    (void)state;
    DB_ADD(none, &statements[INSERT], db_integer(1));
    int64_t started = clock_milliseconds();
    assert_int_equal(run_quietly(none), STATUS_UNAVAILABLE);
    assert_true(clock_milliseconds() - started < 500);
    assert_true(db_batch_has_run(none));
    db_batch_reset(none);
    assert_false(db_batch_has_run(none));
    db_free(&nowhere);
}

static void scripts(void **state)
{
    (void)state;
    assert_int_equal(db_script(db, "INSERT INTO thing VALUES (1); INSERT INTO thing VALUES (2)"),
                     STATUS_OK);
    unit_log_begin();
    enum status status = db_script(db, "INSERT INTO thing VALUES (3); SELECT 1 FROM nothing");
    char *log = unit_log_end();
    assert_int_equal(status, STATUS_INTERNAL);
    assert_non_null(strstr(log, "relation \"nothing\" does not exist"));
    free(log);
    assert_int_equal(integer(COUNT_THINGS), 2);
}

/* Rows ---------------------------------------------------------------------------------------- */

/* Sending and receiving at once what no socket's buffers hold: neither side may wait for the other
 * to read first. */
static void much_in_both_directions(void **state)
{
    enum { STATEMENTS = 8, LENGTH = 3000000 };
    const struct db_rows *rows[STATEMENTS];
    char *text = malloc(LENGTH + 1);
    (void)state;
    assert_non_null(text);
    memset(text, 'x', LENGTH);
    text[LENGTH] = '\0';
    for (size_t i = 0; i < STATEMENTS; i++)
        rows[i] = DB_ADD(batch, &statements[ECHO], db_text(text));
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    for (size_t i = 0; i < STATEMENTS; i++) {
        struct db_row row = db_row(rows[i], 0);
        assert_true(strcmp(db_read_text(&row), text) == 0);
    }
    free(text);
}

struct seen {
    int64_t count, last, most;
    const struct db_rows *before;
};

/* Rows come in order and once. */
static enum status see(void *context, struct db_row *row)
{
    struct seen *seen = context;
    int64_t value = db_read_integer(row);
    seen->count++;
    if (seen->before != NULL && db_rows_count(seen->before) != 1)
        return STATUS_INTERNAL;
    if (value > 0 && value != seen->last + 1)
        return STATUS_INTERNAL;
    seen->last = value;
    return seen->count == seen->most ? STATUS_NOT_OWNER : STATUS_OK;
}

static void stream(int statement, struct seen *seen)
{
    db_batch_stream(batch, &statements[statement], NULL, 0, see, seen);
}

static void rows_are_streamed(void **state)
{
    static const int64_t lengths[] = {0, 1, 3, 100000};
    (void)state;
    for (size_t i = 0; i < COUNT(lengths); i++) {
        struct seen seen = {.before = db_batch_add(batch, &statements[RUNS], NULL, 0)};
        DB_STREAM(batch, &statements[SERIES], see, &seen, db_integer(lengths[i]));
        assert_int_equal(db_batch_run(batch), STATUS_OK);
        assert_int_equal(seen.count, lengths[i]);
        assert_int_equal(seen.last, lengths[i]);
        db_batch_reset(batch);
    }
}

/* The rest of so many rows is not waited for. */
static void a_stream_that_is_stopped(void **state)
{
    struct seen seen = {.most = 3};
    int64_t started = clock_milliseconds();
    (void)state;
    DB_STREAM(batch, &statements[SERIES], see, &seen, db_integer(1000000000000));
    assert_int_equal(run_quietly(batch), STATUS_NOT_OWNER);
    assert_true(clock_milliseconds() - started < 3000);
    assert_int_equal(seen.count, 3);
    assert_int_equal(integer(COUNT_THINGS), 0); /* the next batch is served */
}

/* Rows were given away before the error was known: nothing is repeated. */
static void a_stream_that_breaks(void **state)
{
    struct seen seen = {0};
    (void)state;
    stream(SERIES_THAT_BREAKS, &seen);
    assert_int_equal(run_quietly(batch), STATUS_INTERNAL);
    assert_in_range(seen.count, 1, 99999);
    assert_int_equal(integer(COUNT_THINGS), 0);
}

static void a_stream_whose_connection_is_lost(void **state)
{
    struct seen seen = {0};
    (void)state;
    stream(SERIES_THAT_DIES, &seen);
    assert_int_equal(run_quietly(batch), STATUS_UNAVAILABLE);
    assert_in_range(seen.count, 1, 99999);
    assert_int_equal(integer(RUNS), 1);
}

static void no_row_after_an_error(void **state)
{
    struct seen seen = {0};
    (void)state;
    DB_ADD(batch, &statements[RUN], db_integer(9), db_text("MD001"));
    DB_STREAM(batch, &statements[SERIES], see, &seen, db_integer(10));
    assert_int_equal(run_quietly(batch), STATUS_LOGIN_REQUIRED);
    assert_int_equal(seen.count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(errors),
        TEST(what_is_worth_another_attempt),
        TEST(a_write_that_fails_writes_nothing),
        TEST(a_repeated_write_is_written_once),
        TEST(a_commit_can_fail),
        TEST(reads_are_one_snapshot),
        TEST(writes_see_what_others_committed),
        TEST(days_begin_in_the_time_zone_of_the_service),
        TEST(both_sides_of_a_deadlock_succeed),
        TEST(an_idle_connection_that_was_closed),
        TEST(statements_that_the_server_forgot),
        TEST(a_table_that_changed),
        TEST(no_time_left),
        TEST(no_database),
        TEST(scripts),
        TEST(much_in_both_directions),
        TEST(rows_are_streamed),
        TEST(a_stream_that_is_stopped),
        TEST(a_stream_that_breaks),
        TEST(a_stream_whose_connection_is_lost),
        TEST(no_row_after_an_error),
    };
    if (!unit_has_database())
        return UNIT_SKIPPED;
    return RUN_TESTS(tests);
}
