#include "api/rate.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

enum { MOST = 3, NOW = 1000000 };

static struct rate *rate;
static int64_t minute;

static int set_up(void **state)
{
    (void)state;
    rate = mmap(NULL, sizeof *rate, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(rate, MAP_FAILED);
    rate_begin(rate);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return munmap(rate, sizeof *rate);
}

static int64_t count(int64_t user_id, int64_t now)
{
    return rate_count(rate, user_id, MOST, now, &minute);
}

static void a_minute_begins_with_the_first_write(void **state)
{
    (void)state;
    assert_int_equal(count(7, NOW), 0);
    assert_int_equal(count(7, NOW + 100), 0);
    assert_int_equal(count(7, NOW + 59998), 0);
    assert_int_equal(count(7, NOW + 59999), 1);
    assert_int_equal(count(8, NOW + 59999), 0);
    for (int i = 0; i < MOST; i++)
        assert_int_equal(count(7, NOW + 60000), 0);
    assert_int_equal(count(7, NOW + 60000), 60000);
}

static void what_is_taken_back_is_free(void **state)
{
    (void)state;
    for (int i = 0; i < MOST; i++)
        assert_int_equal(count(7, NOW), 0);
    rate_take_back(rate, 8, minute);
    assert_int_not_equal(count(7, NOW), 0);
    rate_take_back(rate, 7, minute);
    assert_int_equal(count(7, NOW), 0);
    assert_int_not_equal(count(7, NOW), 0);
}

/* That is of no use to a user who keeps requests open. */
static void what_is_taken_back_late_is_of_its_own_minute(void **state)
{
    (void)state;
    assert_int_equal(count(7, NOW), 0);
    int64_t first = minute;
    for (int i = 0; i < MOST; i++)
        assert_int_equal(count(7, NOW + 60000), 0);
    rate_take_back(rate, 7, first);
    assert_int_not_equal(count(7, NOW + 60000), 0);
}

/* Nobody counts for another user, and only those with few writes are forgotten. */
static void many_users_of_one_place(void **state)
{
    (void)state;
    for (int i = 0; i < MOST; i++)
        assert_int_equal(count(7, NOW), 0);
    for (int64_t i = 1; i <= 100; i++)
        assert_int_equal(count(7 + i * RATE_SETS, NOW + i), 0);
    assert_int_not_equal(count(7, NOW + 200), 0);
    assert_int_equal(count(7, NOW + 60000), 0);
}

static void a_process_that_dies_within(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        pthread_mutex_lock(&rate->mutex);
        _exit(EXIT_SUCCESS);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    for (int i = 0; i < 2; i++)
        assert_int_equal(count(7, NOW), 0);
}

static void count_often(void)
{
    int counted = 0;
    for (int i = 0; i < 1000; i++)
        counted += rate_count(rate, 7, 2500, NOW, &minute) == 0;
    for (int i = 0; i < counted; i++)
        rate_count(rate, 9, 1000000, NOW, &minute);
    _exit(EXIT_SUCCESS);
}

/* The second user has as many writes as the first one was let. */
static void processes_side_by_side(void **state)
{
    enum { PROCESSES = 4 };
    (void)state;
    for (int i = 0; i < PROCESSES; i++)
        if (fork() == 0)
            count_often();
    for (int i = 0; i < PROCESSES; i++)
        assert_true(wait(NULL) > 0);
    assert_int_equal(rate_count(rate, 9, 2501, NOW, &minute), 0);
    assert_int_not_equal(rate_count(rate, 9, 2501, NOW, &minute), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(a_minute_begins_with_the_first_write),
        TEST(what_is_taken_back_is_free),
        TEST(what_is_taken_back_late_is_of_its_own_minute),
        TEST(many_users_of_one_place),
        TEST(a_process_that_dies_within),
        TEST(processes_side_by_side),
    };
    return RUN_TESTS(tests);
}
