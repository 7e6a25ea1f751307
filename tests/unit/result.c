#include "db/result.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db.h"
#include "db/conninfo.h"
#include "unit.h"

enum { TYPES, NULLS, PARAMETERS, NONE };

static const struct db_statement statements[] = {
    [TYPES] =
        {"types",
         "SELECT true, false, 1::int2, (-32768)::int2, 2147483647, (-2147483648)::int4,"
         " 9223372036854775807, (-9223372036854775808)::int8,"
         " '登山'::text, ''::text, 'v'::varchar, 'e'::mood, 25.0330::numeric::text,"
         " '2024-02-29'::date, '0001-01-01'::date, '9999-12-31'::date,"
         " '1970-01-01 00:00:00+00'::timestamptz, '2000-01-01 00:00:00.999999+00'::timestamptz,"
         " '1969-12-31 23:59:59.5+00'::timestamptz, '2026-02-03 04:05:06+08'::timestamptz",
         false, DB_SERVICE},
    [NULLS] =
        {"nulls",
         "SELECT NULL::bool, NULL::int2, NULL::int4, NULL::int8, NULL::text, NULL::timestamptz, 7",
         false, DB_SERVICE},
    [PARAMETERS] = {"parameters",
                    "SELECT $1::bigint, $2::text, $3::bytea = '\\x00ff2700', $4::bigint, $5::text,"
                    " $6::text, octet_length($7::bytea)",
                    false, DB_SERVICE},
    [NONE] = {"none", "SELECT 1 WHERE false", false, DB_SERVICE},
    DB_STATEMENTS_END,
};

static int begin(void **state)
{
    (void)state;
    test_db_script("CREATE SCHEMA IF NOT EXISTS mapdiary; DROP TYPE IF EXISTS mapdiary.mood;"
                   "CREATE TYPE mapdiary.mood AS ENUM ('e')");
    return test_db_begin(statements);
}

/* The only row of a statement without parameters. */
static struct db_row row_of(int statement)
{
    const struct db_rows *rows = db_batch_add(batch, &statements[statement], NULL, 0);
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    assert_int_equal(db_rows_count(rows), 1);
    return db_row(rows, 0);
}

static void expect_date(struct db_row *row, const char *want)
{
    char text[DATE_TEXT_SIZE];
    expect_text(want, date_text(db_read_date(row), text), want);
}

static void every_type(void **state)
{
    (void)state;
    struct db_row row = row_of(TYPES);
    assert_true(db_read_boolean(&row));
    assert_false(db_read_boolean(&row));
    assert_true(db_read_integer(&row) == 1);
    assert_true(db_read_integer(&row) == INT16_MIN);
    assert_true(db_read_integer(&row) == INT32_MAX);
    assert_true(db_read_integer(&row) == INT32_MIN);
    assert_true(db_read_integer(&row) == INT64_MAX);
    assert_true(db_read_integer(&row) == INT64_MIN);
    assert_string_equal(db_read_text(&row), "登山");
    assert_string_equal(db_read_text(&row), "");
    assert_string_equal(db_read_text(&row), "v");
    assert_string_equal(db_read_text(&row), "e");
    assert_string_equal(db_read_text(&row), "25.0330");
    expect_date(&row, "2024-02-29");
    expect_date(&row, "0001-01-01");
    expect_date(&row, "9999-12-31");
    assert_true(db_read_epoch(&row) == 0);
    assert_true(db_read_epoch(&row) == 946684800);
    assert_true(db_read_epoch(&row) == -1); /* rounded down */
    assert_true(db_read_epoch(&row) == 1770062706);
}

static void nulls(void **state)
{
    (void)state;
    struct db_row row = row_of(NULLS);
    assert_true(db_next_is_null(&row));
    assert_false(db_read_boolean(&row));
    assert_true(db_read_integer(&row) == 0);
    assert_true(db_read_integer(&row) == 0);
    assert_true(db_read_integer(&row) == 0);
    assert_true(db_next_is_null(&row));
    assert_null(db_read_text(&row));
    assert_true(db_read_epoch(&row) == TIME_NONE);
    assert_false(db_next_is_null(&row));
    assert_true(db_read_integer(&row) == 7);
}

static void every_kind_of_parameter(void **state)
{
    (void)state;
    const struct db_rows *rows =
        DB_ADD(batch, &statements[PARAMETERS], db_integer(INT64_MIN), db_text("'; -- 登山\r\n"),
               db_bytes("\0\xff'\0", 4), db_id(0), db_text(NULL), db_text(""), db_bytes("", 0));
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    struct db_row row = db_row(rows, 0);
    assert_true(db_read_integer(&row) == INT64_MIN);
    assert_string_equal(db_read_text(&row), "'; -- 登山\r\n");
    assert_true(db_read_boolean(&row));
    assert_true(db_next_is_null(&row));
    assert_true(db_read_integer(&row) == 0);
    assert_null(db_read_text(&row));
    assert_string_equal(db_read_text(&row), "");
    assert_true(db_read_integer(&row) == 0);
}

static void no_rows(void **state)
{
    (void)state;
    const struct db_rows *rows = db_batch_add(batch, &statements[NONE], NULL, 0);
    assert_int_equal(db_rows_count(rows), 0);
    assert_int_equal(db_batch_run(batch), STATUS_OK);
    assert_int_equal(db_rows_count(rows), 0);
}

static void columns_that_are_left(void **state)
{
    (void)state;
    struct db_row row = row_of(NULLS);
    assert_int_equal(db_columns_left(&row), 7);
    for (size_t left = 6; left > 0; left--) {
        db_skip_column(&row);
        assert_int_equal(db_columns_left(&row), left);
    }
    assert_true(db_read_integer(&row) == 7);
    assert_int_equal(db_columns_left(&row), 0);
}

static void connection_strings(void **state)
{
    static const struct {
        const char *conninfo, *keyword, *want;
    } rows[] = {
        {"dbname=a user=b", "user", "b"},
        {"dbname=a user='b c'", "user", "b c"},
        {"postgresql://b@/a?host=/tmp", "host", "/tmp"},
        {"dbname=a", "user", NULL},
        {"dbname=a", "nonsense", NULL},
        {"nonsense=a user=b", "user", NULL},
        {"=", "user", NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_text(rows[i].conninfo, db_conninfo_value(rows[i].conninfo, rows[i].keyword, arena),
                    rows[i].want);
}

static void as_boolean(struct db_row *row)
{
    (void)db_read_boolean(row);
}

static void as_integer(struct db_row *row)
{
    (void)db_read_integer(row);
}

static void as_text(struct db_row *row)
{
    (void)db_read_text(row);
}

static void as_date(struct db_row *row)
{
    (void)db_read_date(row);
}

static void as_epoch(struct db_row *row)
{
    (void)db_read_epoch(row);
}

/* In a process of its own, which it is to end. */
static bool aborts(void (*read)(struct db_row *), struct db_row row)
{
    int status = 0;
    unit_log_begin();
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGABRT, SIG_DFL);
        read(&row);
        _exit(0);
    }
    waitpid(child, &status, 0);
    free(unit_log_end());
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* The columns of the statement that each may read; all others end the program. */
static void another_type_is_a_fault(void **state)
{
    static const struct {
        const char *name;
        void (*read)(struct db_row *);
        const char *letters;
    } rows[] = {
        {"boolean", as_boolean, "b"}, {"integer", as_integer, "sil"}, {"text", as_text, "t"},
        {"date", as_date, "d"},       {"epoch", as_epoch, "z"},
    };
    static const char columns[] = "bbssiilltttttdddzzzz";
    (void)state;
    struct db_row row = row_of(TYPES);
    for (size_t i = 0; i < COUNT(rows); i++)
        for (row.column = 0; columns[row.column] != '\0'; row.column++)
            expect_integer(rows[i].name, aborts(rows[i].read, row),
                           strchr(rows[i].letters, columns[row.column]) == NULL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_type, begin, test_db_end),
        cmocka_unit_test_setup_teardown(nulls, begin, test_db_end),
        cmocka_unit_test_setup_teardown(every_kind_of_parameter, begin, test_db_end),
        cmocka_unit_test_setup_teardown(no_rows, begin, test_db_end),
        cmocka_unit_test_setup_teardown(columns_that_are_left, begin, test_db_end),
        cmocka_unit_test_setup_teardown(connection_strings, begin, test_db_end),
        cmocka_unit_test_setup_teardown(another_type_is_a_fault, begin, test_db_end),
    };
    if (!unit_has_database())
        return UNIT_SKIPPED;
    return RUN_TESTS(tests);
}
