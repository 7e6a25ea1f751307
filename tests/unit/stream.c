#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "db.h"
#include "unit.h"

enum { RUN, ONE, ECHO, SERIES, SERIES_THAT_BREAKS, SERIES_THAT_DIES };

static const struct db_statement statements[] = {
    [RUN] = {"run", "SELECT run($1, $2)", false, DB_SERVICE},
    [ONE] = {"one", "SELECT 1", false, DB_SERVICE},
    [ECHO] = {"echo", "SELECT $1::text", false, DB_SERVICE},
    [SERIES] = {"series", "SELECT generate_series(1, $1::bigint)", false, DB_SERVICE},
    [SERIES_THAT_BREAKS] = {"series_that_breaks",
                            "SELECT i / (i - 100000) FROM generate_series(1, 200000) i", false,
                            DB_SERVICE},
    [SERIES_THAT_DIES] = {"series_that_dies",
                          "SELECT CASE WHEN i = 100000 THEN run(9, 'die') ELSE i END"
                          " FROM generate_series(1::bigint, 200000) i",
                          false, DB_SERVICE},
    DB_STATEMENTS_END,
};

static int begin(void **state)
{
    (void)state;
    return test_db_begin(statements);
}

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
        struct seen seen = {.before = db_batch_add(batch, &statements[ONE], NULL, 0)};
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
    assert_int_equal(test_db_run_quietly(), STATUS_NOT_OWNER);
    assert_true(clock_milliseconds() - started < 3000);
    assert_int_equal(seen.count, 3);
    assert_int_equal(test_db_things(), 0); /* the next batch is served */
}

/* Rows were given away before the error was known: nothing is repeated. */
static void a_stream_that_breaks(void **state)
{
    struct seen seen = {0};
    (void)state;
    stream(SERIES_THAT_BREAKS, &seen);
    assert_int_equal(test_db_run_quietly(), STATUS_INTERNAL);
    assert_in_range(seen.count, 1, 99999);
    assert_int_equal(test_db_things(), 0);
}

static void a_stream_whose_connection_is_lost(void **state)
{
    struct seen seen = {0};
    (void)state;
    stream(SERIES_THAT_DIES, &seen);
    assert_int_equal(test_db_run_quietly(), STATUS_UNAVAILABLE);
    assert_in_range(seen.count, 1, 99999);
    assert_int_equal(test_db_runs(), 1);
}

static void no_row_after_an_error(void **state)
{
    struct seen seen = {0};
    (void)state;
    DB_ADD(batch, &statements[RUN], db_integer(9), db_text("MD001"));
    DB_STREAM(batch, &statements[SERIES], see, &seen, db_integer(10));
    assert_int_equal(test_db_run_quietly(), STATUS_LOGIN_REQUIRED);
    assert_int_equal(seen.count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, test_db_end)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(much_in_both_directions),           TEST(rows_are_streamed),
        TEST(a_stream_that_is_stopped),          TEST(a_stream_that_breaks),
        TEST(a_stream_whose_connection_is_lost), TEST(no_row_after_an_error),
    };
    if (!unit_has_database())
        return UNIT_SKIPPED;
    return RUN_TESTS(tests);
}
