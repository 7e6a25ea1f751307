#include "base/recent.h"

#include <string.h>

#include "unit.h"

static struct recent recent;

static int set_up(void **state)
{
    (void)state;
    memset(&recent, 0, sizeof recent);
    return 0;
}

static void a_sum_halves_each_minute(void **state)
{
    static const struct {
        int64_t at;
        int want; /* hundredths */
    } rows[] = {{1000, 800},   {60999, 800},  {61000, 400},
                {121000, 200}, {181500, 100}, {3600000, 0}};
    (void)state;
    for (int i = 0; i < 8; i++)
        recent_add(&recent, 1, 1, 1000);
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_integer("", (int)(100 * recent_count(&recent, 1, rows[i].at)), rows[i].want);
    recent_add(&recent, 1, 1, 3600000);
    assert_int_equal((int)recent_count(&recent, 1, 3600000), 1);
}

/* The rows look at other bits of the hash. */
static void whoever_shares_one_cell_alone_counts_alone(void **state)
{
    static const uint64_t others[] = {0x10000, 0x1, 0x20001, 0x10002};
    (void)state;
    recent_add(&recent, 0x10001, 5, 0);
    for (size_t i = 0; i < COUNT(others); i++)
        assert_int_equal((int)recent_count(&recent, others[i], 0), 0);
    assert_int_equal((int)recent_count(&recent, 0x10001, 0), 5);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_sum_halves_each_minute, set_up),
        cmocka_unit_test_setup(whoever_shares_one_cell_alone_counts_alone, set_up),
    };
    return RUN_TESTS(tests);
}
