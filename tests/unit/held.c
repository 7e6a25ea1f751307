#include <stdlib.h>

#include "db.h"
#include "unit.h"

enum { RUN, RUN_WRITE, INSERT };

static const struct db_statement statements[] = {
    [RUN] = {"run", "SELECT run($1, $2)", false, DB_SERVICE},
    [RUN_WRITE] = {"run_write", "SELECT run($1, $2)", true, DB_SERVICE},
    [INSERT] = {"insert", "INSERT INTO thing (id) VALUES ($1)", true, DB_SERVICE},
    DB_STATEMENTS_END,
};

static int begin(void **state)
{
    (void)state;
    return test_db_begin(statements);
}

/* Runs a first part that inserts, and holds the transaction open. */
static void hold(int64_t failures, const char *how)
{
    db_batch_hold(batch);
    DB_ADD(batch, &statements[INSERT], db_integer(1));
    DB_ADD(batch, &statements[RUN_WRITE], db_integer(failures), db_text(how));
}

static void both_parts_are_one_transaction(void **state)
{
    (void)state;
    hold(0, "");
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    assert_true(db_batch_is_open(batch));
    assert_int_equal(test_db_things_of_others(), 0);
    DB_ADD(batch, &statements[INSERT], db_integer(2));
    assert_true(db_batch_is_open(batch));
    assert_false(db_batch_has_run(batch));
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    assert_false(db_batch_is_open(batch));
    assert_int_equal(test_db_things(), 2);
}

static void three_parts_are_one_transaction(void **state)
{
    (void)state;
    hold(0, "");
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    DB_ADD(batch, &statements[INSERT], db_integer(2));
    assert_int_equal(db_batch_run_open(batch), STATUS_OK);
    assert_true(db_batch_is_open(batch));
    assert_int_equal(test_db_things_of_others(), 0);
    assert_int_equal(db_batch_commit(batch), STATUS_OK);
    assert_false(db_batch_is_open(batch));
    assert_int_equal(test_db_things(), 2);
}

/* The run that goes on with the transaction commits it, whatever it does. */
static void a_second_part_that_only_reads(void **state)
{
    (void)state;
    hold(0, "");
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    DB_ADD(batch, &statements[RUN], db_integer(0), db_text(""));
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    assert_false(db_batch_is_open(batch));
    assert_int_equal(test_db_things(), 1);
}

static void forgetting_it_takes_it_back(void **state)
{
    (void)state;
    int backend = db_backend(db);
    hold(0, "");
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    db_batch_reset(batch);
    assert_false(db_batch_is_open(batch));
    assert_int_equal(test_db_things(), 0);
    assert_int_equal(db_backend(db), backend);
}

static void a_first_part_that_fails_is_not_open(void **state)
{
    (void)state;
    hold(99, "MD001");
    assert_int_equal(test_db_run_quietly(), STATUS_LOGIN_REQUIRED);
    assert_false(db_batch_is_open(batch));
    assert_int_equal(test_db_things(), 0);
}

/* PostgreSQL rolled it back before anybody had seen its rows. */
static void a_first_part_is_repeated(void **state)
{
    (void)state;
    hold(2, "40001");
    assert_int_equal(test_db_run_quietly(), STATUS_OK);
    assert_true(db_batch_is_open(batch));
    assert_int_equal(test_db_things_of_others(), 0);
    DB_ADD(batch, &statements[INSERT], db_integer(2));
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    assert_int_equal(test_db_things(), 2);
}

/* What decided on the second part is gone with the first. */
static void a_second_part_is_not(void **state)
{
    static const char *const rows[] = {"40001", "40P01", "26000", "23505", "22012", "die"};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        hold(0, "");
        expect_integer(rows[i], test_db_run_quietly(), STATUS_OK);
        DB_ADD(batch, &statements[RUN_WRITE], db_integer(99), db_text(rows[i]));
        assert_int_not_equal(test_db_run_quietly(), STATUS_OK);
        expect_integer(rows[i], db_batch_is_open(batch), false);
        expect_integer(rows[i], test_db_runs(), 2 * (long long)(i + 1));
        expect_integer(rows[i], test_db_things(), 0);
        db_batch_reset(batch);
    }
}

/* Between the two parts: nothing may be written as if the first had been. */
static void a_connection_lost_in_between(void **state)
{
    (void)state;
    hold(0, "");
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    test_db_kill(db);
    DB_ADD(batch, &statements[INSERT], db_integer(2));
    assert_int_equal(test_db_run_quietly(), STATUS_UNAVAILABLE);
    assert_int_equal(test_db_things(), 0);
}

static void a_connection_lost_before_it_is_forgotten(void **state)
{
    (void)state;
    hold(0, "");
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    test_db_kill(db);
    unit_log_begin();
    db_batch_reset(batch);
    free(unit_log_end());
    assert_int_equal(test_db_things(), 0);
}

/* A first part that only reads holds no transaction, and the second part is one of its own. */
static void a_first_part_that_only_reads(void **state)
{
    (void)state;
    DB_ADD(batch, &statements[RUN], db_integer(0), db_text(""));
    assert_int_equal(db_batch_run_open(batch), STATUS_OK);
    assert_false(db_batch_is_open(batch));
    assert_int_equal(test_db_things(), 0);
    DB_ADD(batch, &statements[INSERT], db_integer(1));
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    assert_int_equal(test_db_things(), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, test_db_end)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(both_parts_are_one_transaction),
        TEST(three_parts_are_one_transaction),
        TEST(a_second_part_that_only_reads),
        TEST(forgetting_it_takes_it_back),
        TEST(a_first_part_that_fails_is_not_open),
        TEST(a_first_part_is_repeated),
        TEST(a_second_part_is_not),
        TEST(a_connection_lost_in_between),
        TEST(a_connection_lost_before_it_is_forgotten),
        TEST(a_first_part_that_only_reads),
    };
    if (!unit_has_database())
        return UNIT_SKIPPED;
    return RUN_TESTS(tests);
}
