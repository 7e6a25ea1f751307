#include "db/copy.h"

#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "unit.h"

static const struct db_statement statements[] = {DB_STATEMENTS_END};

static int begin(void **state)
{
    (void)state;
    test_db_begin(statements);
    test_db_script("SET search_path = mapdiary; DROP TABLE IF EXISTS words;"
                   "CREATE TABLE words (id serial, one text, two text)");
    assert_int_equal(db_script(db, "BEGIN"), STATUS_OK);
    return 0;
}

/* The transaction is over; batches are served again, and then another one. */
static void end_transaction(const char *last)
{
    assert_int_equal(db_continue(db, last), STATUS_OK);
    assert_int_equal(test_db_things(), 0);
    assert_int_equal(db_script(db, "BEGIN"), STATUS_OK);
}

static enum status write_row(const char *one, const char *two)
{
    struct buffer row = {0};
    db_copy_add_value(&row, one);
    db_copy_add_value(&row, two);
    db_copy_end_row(&row);
    enum status status = db_copy_write(db, row.data, row.length);
    buffer_free(&row);
    return status;
}

static const char copy_in[] = "COPY words (one, two) FROM STDIN";
static const char copy_out[] =
    "COPY (SELECT encode(convert_to(one, 'UTF8'), 'hex'), coalesce(two, '-') FROM words ORDER BY id)"
    " TO STDOUT";

struct lines {
    struct buffer text;
    int count, most;
};

static enum status take(void *context, const char *line, size_t length)
{
    struct lines *lines = context;
    buffer_add(&lines->text, line, length);
    return ++lines->count == lines->most ? STATUS_VOTE_CLOSED : STATUS_OK;
}

static void what_goes_in_comes_out(void **state)
{
    struct lines lines = {0};
    (void)state;
    assert_int_equal(db_copy_begin(db, copy_in), STATUS_OK);
    assert_int_equal(write_row("a\tb\\c\nd\re", NULL), STATUS_OK);
    assert_int_equal(write_row("\\N", ""), STATUS_OK);
    assert_int_equal(write_row("\\.", "山"), STATUS_OK);
    assert_int_equal(db_copy_end(db, NULL), STATUS_OK);
    assert_int_equal(db_copy_out(db, copy_out, take, &lines), STATUS_OK);
    buffer_add(&lines.text, "", 1);
    assert_string_equal(lines.text.data, "6109625c630a640d65\t-\n5c4e\t\n5c2e\t山\n");
    buffer_free(&lines.text);
    end_transaction("COMMIT");
}

static void nothing_is_taken_with_a_reason(void **state)
{
    struct lines lines = {0};
    (void)state;
    assert_int_equal(db_copy_begin(db, copy_in), STATUS_OK);
    assert_int_equal(write_row("one", "two"), STATUS_OK);
    assert_int_equal(db_copy_end(db, "the input cannot be read"), STATUS_OK);
    end_transaction("ROLLBACK");
    assert_int_equal(db_copy_out(db, copy_out, take, &lines), STATUS_OK);
    assert_int_equal(lines.count, 0);
}

static void what_postgresql_refuses(void **state)
{
    static const char *const rows[] = {"COPY nothing FROM STDIN", "COPY words (id) FROM STDIN"};
    enum status status = STATUS_OK;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        unit_log_begin();
        status = db_copy_begin(db, rows[i]);
        if (status == STATUS_OK) {
            status = write_row("not", "fitting");
            if (status == STATUS_OK)
                status = db_copy_end(db, NULL);
        }
        char *log = unit_log_end();
        expect_integer(rows[i], status, STATUS_INTERNAL);
        assert_non_null(strstr(log, "database: "));
        free(log);
        end_transaction("ROLLBACK");
    }
}

static void stopping(void **state)
{
    struct lines lines = {.most = 3};
    (void)state;
    assert_int_equal(
        db_copy_out(db, "COPY (SELECT generate_series(1, 1000000000)) TO STDOUT", take, &lines),
        STATUS_VOTE_CLOSED);
    assert_int_equal(lines.count, 3);
    assert_memory_equal(lines.text.data, "1\n2\n3\n", 6);
    buffer_free(&lines.text);
    assert_int_equal(test_db_things(), 0);
}

/* What was begun is gone with its connection, and another one must not take up what follows. */
static void a_lost_connection(void **state)
{
    struct lines lines = {0};
    enum status status[3];
    (void)state;
    assert_int_equal(db_script(db, "INSERT INTO thing VALUES (1)"), STATUS_OK);
    test_db_kill(db);
    unit_log_begin();
    status[0] = db_copy_begin(db, copy_in);
    status[1] = db_copy_out(db, copy_out, take, &lines);
    status[2] = db_continue(db, "COMMIT");
    char *log = unit_log_end();
    for (size_t i = 0; i < COUNT(status); i++)
        expect_integer("lost", status[i], STATUS_UNAVAILABLE);
    assert_non_null(strstr(log, "the connection was lost, and so was its transaction"));
    free(log);
    assert_int_equal(lines.count, 0);
    assert_int_equal(test_db_things(), 0);
}

/* Whoever connects again for something else has no transaction there. */
static void another_connection(void **state)
{
    (void)state;
    test_db_kill(db);
    unit_log_begin();
    enum status again = db_script(db, "SELECT 1");
    enum status copied = db_copy_begin(db, copy_in);
    enum status committed = db_continue(db, "COMMIT");
    free(unit_log_end());
    assert_int_equal(again, STATUS_OK);
    assert_int_equal(copied, STATUS_UNAVAILABLE);
    assert_int_equal(committed, STATUS_UNAVAILABLE);
    assert_int_equal(test_db_things(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, test_db_end)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(what_goes_in_comes_out),  TEST(nothing_is_taken_with_a_reason),
        TEST(what_postgresql_refuses), TEST(stopping),
        TEST(a_lost_connection),       TEST(another_connection),
    };
    if (!unit_has_database())
        return UNIT_SKIPPED;
    return RUN_TESTS(tests);
}
