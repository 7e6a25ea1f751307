#include "db/batch.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "db.h"
#include "db/internal.h"
#include "db/probe.h"
#include "unit.h"

enum {
    RUN,
    RUN_WRITE,
    INSERT,
    INSERT_LATER,
    SUM,
    TRANSACTION,
    TRANSACTION_WRITE,
    SLEEP,
    SLEEP_ONCE,
    SLEEP_ONCE_WRITE,
    WIDENED
};

#define SLEEP_AT_FIRST "SELECT pg_sleep(CASE nextval('runs') WHEN 1 THEN 1 ELSE 0 END)::text"

static const struct db_statement statements[] = {
    [RUN] = {"run", "SELECT run($1, $2)", false, DB_SERVICE},
    [RUN_WRITE] = {"run_write", "SELECT run($1, $2)", true, DB_SERVICE},
    [INSERT] = {"insert", "INSERT INTO thing (id) VALUES ($1)", true, DB_SERVICE},
    [INSERT_LATER] = {"insert_later", "INSERT INTO later VALUES ($1)", true, DB_SERVICE},
    [SUM] = {"sum", "SELECT sum(number)::bigint FROM thing", false, DB_SERVICE},
    [TRANSACTION] = {"transaction",
                     "SELECT current_setting('transaction_isolation'), current_setting('TimeZone'),"
                     " now()::text",
                     false, DB_SERVICE},
    [TRANSACTION_WRITE] = {"transaction_write",
                           "SELECT current_setting('transaction_isolation'), 'x', now()::text",
                           true, DB_SERVICE},
    [SLEEP] = {"sleep", "SELECT nextval('runs'), pg_sleep(10)::text", false, DB_SERVICE},
    [SLEEP_ONCE] = {"sleep_once", SLEEP_AT_FIRST, false, DB_SERVICE},
    [SLEEP_ONCE_WRITE] = {"sleep_once_write", SLEEP_AT_FIRST, true, DB_SERVICE},
    [WIDENED] = {"widened", "SELECT number FROM thing WHERE id = 1", false, DB_SERVICE},
    DB_STATEMENTS_END,
};

static int begin(void **state)
{
    (void)state;
    return test_db_begin(statements);
}

/* The only column of the only row, which the batch brings now if it has not yet. */
static int64_t integer_of(const struct db_rows *rows)
{
    if (!db_batch_has_run(batch))
        assert_int_equal(test_db_run_quietly(), STATUS_OK);
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
            test_db_forget_runs();
            assert_int_equal(db_connect(db), STATUS_OK);
            int backend = db_backend(db);
            DB_ADD(batch, &statements[writes ? RUN_WRITE : RUN], db_integer(99),
                   db_text(rows[i].how));
            expect_integer(rows[i].how, test_db_run_quietly(), rows[i].want);
            expect_integer(rows[i].how, test_db_runs(), writes ? rows[i].writes : rows[i].reads);
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
        test_db_forget_runs();
        const struct db_rows *got = DB_ADD(batch, &statements[rows[i].writes ? RUN_WRITE : RUN],
                                           db_integer(rows[i].failures), db_text(rows[i].how));
        expect_integer(rows[i].how, test_db_run_quietly(), rows[i].want);
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
        expect_integer(rows[i].how, test_db_run_quietly(), rows[i].want);
        db_batch_reset(batch);
        expect_integer(rows[i].how, test_db_things(), 0);
    }
}

/* And once, though the first attempts had inserted it too. */
static void a_repeated_write_is_written_once(void **state)
{
    (void)state;
    DB_ADD(batch, &statements[INSERT], db_integer(1));
    DB_ADD(batch, &statements[RUN_WRITE], db_integer(3), db_text("40001"));
    assert_int_equal(test_db_run_quietly(), STATUS_OK);
    assert_int_equal(test_db_things(), 1);
    assert_int_equal(test_db_runs(), 4);
}

/* What is only refused at the commit. */
static void a_commit_can_fail(void **state)
{
    (void)state;
    DB_ADD(batch, &statements[INSERT], db_integer(1));
    DB_ADD(batch, &statements[INSERT_LATER], db_integer(1));
    DB_ADD(batch, &statements[INSERT_LATER], db_integer(1));
    assert_int_equal(test_db_run_quietly(), STATUS_CONFLICT);
    assert_int_equal(test_db_things(), 0);
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
    {"first", "UPDATE thing SET number = number + 1 WHERE id = $1", true, DB_SERVICE},
    {"wait", "SELECT pg_sleep(0.2)::text", true, DB_SERVICE},
    {"second", "UPDATE thing SET number = number + 1 WHERE id = $1", true, DB_SERVICE},
    DB_STATEMENTS_END,
};

static void *cross(void *first)
{
    const struct db_statement *const registry[] = {crossing, NULL};
    const struct db_options options = {.conninfo = getenv("MAPDIARY_TEST_DATABASE"),
                                       .timezone = "UTC",
                                       .timeout = 20000,
                                       .patience = 5000,
                                       .registry = registry,
                                       .use = DB_SERVICE};
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
    assert_int_equal(integer_of(db_batch_add(batch, &statements[SUM], NULL, 0)), 4);
    free(log);
}

/* Connections --------------------------------------------------------------------------------- */

/* A server that was restarted has closed the connections that nobody used meanwhile: a write finds
 * that out before it is sent. */
static void an_idle_connection_that_was_closed(void **state)
{
    (void)state;
    for (int64_t id = 1; id <= 3; id++) {
        test_db_kill(db);
        DB_ADD(batch, &statements[INSERT], db_integer(id));
        assert_int_equal(test_db_run_quietly(), STATUS_OK);
        db_batch_reset(batch);
        assert_int_equal(test_db_things(), id);
    }
}

/* A network that fails in the middle of a batch: no word of PostgreSQL's, so no SQLSTATE. */
static void *cut(void *connection)
{
    poll(NULL, 0, 200);
    shutdown(PQsocket(connection), SHUT_RDWR);
    return NULL;
}

static void a_connection_that_is_cut(void **state)
{
    static const struct {
        int statement;
        enum status want;
        int64_t runs;
    } rows[] = {{SLEEP_ONCE, STATUS_OK, 2}, {SLEEP_ONCE_WRITE, STATUS_UNAVAILABLE, 1}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        pthread_t thread;
        test_db_forget_runs();
        assert_int_equal(db_connect(db), STATUS_OK);
        db_batch_add(batch, &statements[rows[i].statement], NULL, 0);
        assert_int_equal(pthread_create(&thread, NULL, cut, db->connection), 0);
        enum status got = test_db_run_quietly();
        pthread_join(thread, NULL);
        expect_integer(statements[rows[i].statement].name, got, rows[i].want);
        expect_integer(statements[rows[i].statement].name, test_db_runs(), rows[i].runs);
        db_batch_reset(batch);
    }
}

static void statements_that_the_server_forgot(void **state)
{
    (void)state;
    assert_int_equal(db_script(db, "DEALLOCATE ALL"), STATUS_OK);
    DB_ADD(batch, &statements[INSERT], db_integer(1));
    assert_int_equal(test_db_run_quietly(), STATUS_OK);
    assert_int_equal(test_db_things(), 1);
}

/* As a migration does under a running service. */
static void a_table_that_changed(void **state)
{
    (void)state;
    test_db_script("INSERT INTO mapdiary.thing VALUES (1, 7)");
    assert_int_equal(integer_of(db_batch_add(batch, &statements[WIDENED], NULL, 0)), 7);
    db_batch_reset(batch);
    test_db_script("ALTER TABLE mapdiary.thing ALTER number TYPE integer");
    assert_int_equal(integer_of(db_batch_add(batch, &statements[WIDENED], NULL, 0)), 7);
}

static void no_time_left(void **state)
{
    (void)state;
    test_db_set_timeout(300);
    unsigned long repeats = db_counters.repeats;
    int64_t started = clock_milliseconds();
    db_batch_add(batch, &statements[SLEEP], NULL, 0);
    assert_int_equal(test_db_run_quietly(), STATUS_UNAVAILABLE);
    assert_in_range(clock_milliseconds() - started, 200, 5000);
    assert_int_equal(db_counters.repeats, repeats);
    assert_int_equal(test_db_runs(), 1);
}

static void no_database(void **state)
{
    const struct db_options options = {.conninfo = "host=/nonexistent", .patience = 5000};
    struct db *nowhere = db_new(&options);
    (void)state;
    batch = db_batch_new(nowhere, arena);
    DB_ADD(batch, &statements[INSERT], db_integer(1));
    int64_t started = clock_milliseconds();
    assert_int_equal(test_db_run_quietly(), STATUS_UNAVAILABLE);
    assert_true(clock_milliseconds() - started < 2500);
    assert_true(db_batch_has_run(batch));
    db_batch_reset(batch);
    assert_false(db_batch_has_run(batch));
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
    assert_int_equal(test_db_things(), 2);
}

/* As one is while the route asks for the log's position. */
static void a_probe_in_flight(void **state)
{
    static const struct db_statement probe = {"probe", "SELECT 'so ' || $1", false, DB_SERVICE};
    (void)state;
    for (int i = 1; i <= 3; i++) {
        assert_true(db_probe_send(db, &probe, "it is"));
        DB_ADD(batch, &statements[INSERT], db_integer(i));
        assert_int_equal(db_batch_run(batch), STATUS_OK);
        assert_string_equal(db_probe_answer(db), "so it is");
        db_batch_reset(batch);
    }
    assert_int_equal(test_db_things(), 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, test_db_end)

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
        TEST(a_connection_that_is_cut),
        TEST(statements_that_the_server_forgot),
        TEST(a_table_that_changed),
        TEST(no_time_left),
        TEST(no_database),
        TEST(scripts),
        TEST(a_probe_in_flight),
    };
    if (!unit_has_database())
        return UNIT_SKIPPED;
    return RUN_TESTS(tests);
}
