#include "serve/turns.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static int turns;

static int make(void **state)
{
    (void)state;
    turns = turns_open();
    return turns < 0;
}

static int drop(void **state)
{
    (void)state;
    return close(turns);
}

static void a_quarter_of_the_workers(void **state)
{
    static const struct {
        size_t workers, permits;
    } rows[] = {{1, 1}, {3, 1}, {4, 1}, {7, 1}, {8, 2}, {16, 4}, {1000, 250}};
    static struct permit permits[251];
    (void)state;
    for (size_t row = 0; row < COUNT(rows); row++) {
        for (size_t i = 0; i < rows[row].permits; i++)
            assert_true(turns_take(turns, rows[row].workers, &permits[i]));
        assert_false(turns_take(turns, rows[row].workers, &permits[rows[row].permits]));
        assert_false(permits[rows[row].permits].is_there);
        for (size_t i = 0; i < rows[row].permits; i++)
            turns_leave(&permits[i]);
    }
}

static void what_was_left_is_free(void **state)
{
    struct permit first, second, third;
    (void)state;
    assert_true(turns_take(turns, 8, &first));
    assert_true(turns_take(turns, 8, &second));
    turns_leave(&first);
    turns_leave(&first);
    assert_false(first.is_there);
    assert_true(turns_take(turns, 8, &third));
    assert_false(turns_take(turns, 8, &first));
    turns_leave(&second);
    turns_leave(&third);
}

/* As SCM_RIGHTS does, a fork gives the permit to another process. */
static void it_is_free_when_the_last_who_has_it_dies(void **state)
{
    struct permit permit, other;
    (void)state;
    assert_true(turns_take(turns, 1, &permit));
    pid_t pid = fork();
    if (pid == 0) {
        pause();
        _exit(0);
    }
    turns_send(&permit);
    assert_false(permit.is_there);
    assert_false(turns_take(turns, 1, &other));
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(turns_take(turns, 1, &other));
    turns_leave(&other);
}

static void it_is_free_when_it_is_left_though_a_child_has_it(void **state)
{
    struct permit permit, other;
    (void)state;
    assert_true(turns_take(turns, 1, &permit));
    pid_t pid = fork();
    if (pid == 0) {
        pause();
        _exit(0);
    }
    turns_leave(&permit);
    assert_true(turns_take(turns, 1, &other));
    turns_leave(&other);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(a_quarter_of_the_workers),
        TEST(what_was_left_is_free),
        TEST(it_is_free_when_the_last_who_has_it_dies),
        TEST(it_is_free_when_it_is_left_though_a_child_has_it),
    };
    return RUN_TESTS(tests);
}
