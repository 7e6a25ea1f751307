#include "base/date.h"

#include "unit.h"

static void days_of_the_calendar(void **state)
{
    static const struct {
        const char *input;
        struct date date;
        bool want;
    } rows[] = {
        {"first", {1, 1, 1}, true},
        {"last", {9999, 12, 31}, true},
        {"leap day", {2024, 2, 29}, true},
        {"leap day of a fourth century", {2000, 2, 29}, true},
        {"no leap day", {2023, 2, 29}, false},
        {"no leap day of a century", {1900, 2, 29}, false},
        {"30 February", {2024, 2, 30}, false},
        {"31 January", {2023, 1, 31}, true},
        {"31 April", {2023, 4, 31}, false},
        {"31 June", {2023, 6, 31}, false},
        {"31 September", {2023, 9, 31}, false},
        {"31 November", {2023, 11, 31}, false},
        {"32 December", {2023, 12, 32}, false},
        {"day 0", {2023, 1, 0}, false},
        {"day -1", {2023, 1, -1}, false},
        {"month 0", {2023, 0, 1}, false},
        {"month 13", {2023, 13, 1}, false},
        {"year 0", {0, 1, 1}, false},
        {"year 10000", {10000, 1, 1}, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_integer(rows[i].input, date_exists(rows[i].date), rows[i].want);
}

/* What SELECT DATE '...' - DATE '2000-01-01' says in PostgreSQL. */
static void days_since_2000(void **state)
{
    static const struct {
        int32_t days;
        const char *want;
    } rows[] = {
        {0, "2000-01-01"},       {-1, "1999-12-31"},      {59, "2000-02-29"},
        {60, "2000-03-01"},      {9530, "2026-02-03"},    {-10957, "1970-01-01"},
        {-730119, "0001-01-01"}, {2921939, "9999-12-31"}, {-36465, "1900-03-01"},
        {-152384, "1582-10-15"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[DATE_TEXT_SIZE];
        expect_text(rows[i].want, date_text(date_from_postgres(rows[i].days), text), rows[i].want);
    }
}

static struct date next(struct date date)
{
    date.day++;
    if (date_exists(date))
        return date;
    date = (struct date){date.year, date.month + 1, 1};
    return date_exists(date) ? date : (struct date){date.year + 1, 1, 1};
}

static void every_day(void **state)
{
    enum { FIRST = -730119, LAST = 2921939 };
    struct date want = {1, 1, 1};
    (void)state;
    for (int32_t days = FIRST; days <= LAST; days++, want = next(want)) {
        struct date got = date_from_postgres(days);
        if (got.year != want.year || got.month != want.month || got.day != want.day)
            fail_msg("%d: got %d-%d-%d, want %d-%d-%d", days, got.year, got.month, got.day,
                     want.year, want.month, want.day);
    }
    assert_int_equal(want.year, 10000);
}

/* PostgreSQL's infinity, which no constraint lets in, must not overrun the text. */
static void the_ends_of_the_type(void **state)
{
    char text[DATE_TEXT_SIZE];
    (void)state;
    assert_string_equal(date_text(date_from_postgres(INT32_MAX), text), "5881610-07-11");
    assert_string_equal(date_text(date_from_postgres(INT32_MIN), text), "-5877611-06-22");
    assert_string_equal(date_text((struct date){INT32_MIN, INT32_MIN, INT32_MIN}, text),
                        "-2147483648--2147483648--2147483648");
}

static void moments(void **state)
{
    static const struct {
        int64_t seconds;
        const char *want;
    } rows[] = {
        {0, "1970-01-01T00:00:00Z"},
        {-1, "1969-12-31T23:59:59Z"},
        {1709251199, "2024-02-29T23:59:59Z"},
        {253402300799, "9999-12-31T23:59:59Z"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[DATE_TEXT_SIZE];
        expect_text(rows[i].want, date_moment_text(rows[i].seconds, text), rows[i].want);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_of_the_calendar),
        cmocka_unit_test(days_since_2000),
        cmocka_unit_test(every_day),
        cmocka_unit_test(the_ends_of_the_type),
        cmocka_unit_test(moments),
    };
    return RUN_TESTS(tests);
}
