#include "auth/hashing.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/places.h"
#include "unit.h"

/* One hashes, and two may wait, on however many processors: these are behind three tickets and the
 * desk. */
enum { WORKERS = 6, FIRST = 4, SECOND = 5, LAST = 9, MANY = 16 };

static struct hashing hashing;
static int said[2];

/* This process hashes, as each test begins. */
static int set_up(void **state)
{
    (void)state;
    hashing = (struct hashing){places_open(), WORKERS};
    assert_int_equal(pipe2(said, O_NONBLOCK), 0);
    assert_int_equal(hashing_enter(&hashing), STATUS_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close(said[0]);
    close(said[1]);
    close(hashing.places);
    return 0;
}

/* A process that waits for its turn, says so when that has come, and is done soon. */
static pid_t come(char name)
{
    pid_t pid = fork();
    if (pid == 0) {
        if (hashing_enter(&hashing) != STATUS_OK || write(said[1], &name, 1) != 1)
            _exit(EXIT_FAILURE);
        usleep(20000);
        hashing_leave(&hashing);
        _exit(EXIT_SUCCESS);
    }
    return pid;
}

static pid_t come_and_wait(char name, int place)
{
    pid_t pid = come(name);
    for (int i = 0; i < 10000 && !places_is_taken(hashing.places, place); i++)
        usleep(1000);
    assert_true(places_is_taken(hashing.places, place));
    return pid;
}

static void expect_end(pid_t pid, int want)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), want);
}

static void expect_said(const char *want)
{
    char order[8] = "";
    assert_true(read(said[0], order, sizeof order - 1) >= 0);
    assert_string_equal(order, want);
}

static void a_newcomer_overtakes_nobody(void **state)
{
    (void)state;
    pid_t first = come_and_wait('a', FIRST);
    hashing_leave(&hashing);
    assert_int_equal(hashing_enter(&hashing), STATUS_OK);
    expect_said("a");
    hashing_leave(&hashing);
    expect_end(first, EXIT_SUCCESS);
}

static void a_line_has_an_order_and_an_end(void **state)
{
    (void)state;
    pid_t first = come_and_wait('a', FIRST);
    pid_t second = come_and_wait('b', SECOND);
    expect_end(come('c'), EXIT_FAILURE);
    hashing_leave(&hashing);
    expect_end(first, EXIT_SUCCESS);
    expect_end(second, EXIT_SUCCESS);
    expect_said("ab");
}

/* Somebody who stays where he is, for a while. */
static pid_t stand(int place)
{
    pid_t pid = fork();
    if (pid == 0) {
        bool stands = places_take(hashing.places, place, 1) == place;
        usleep(200000);
        _exit(stands ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    for (int i = 0; i < 10000 && !places_is_taken(hashing.places, place); i++)
        usleep(1000);
    return pid;
}

static void who_has_a_ticket_waits_for_the_end_of_the_line(void **state)
{
    (void)state;
    pid_t last = stand(LAST);
    pid_t newcomer = come('a');
    expect_end(last, EXIT_SUCCESS);
    hashing_leave(&hashing);
    expect_end(newcomer, EXIT_SUCCESS);
    expect_said("a");
}

/* Somebody who comes back as soon as he is done. */
static void come_back(int places, int times)
{
    const struct hashing all = {places, 2 * MANY};
    for (int i = 0; i < times; i++) {
        if (hashing_enter(&all) != STATUS_OK)
            _exit(EXIT_FAILURE);
        usleep(1000);
        hashing_leave(&all);
    }
    _exit(EXIT_SUCCESS);
}

static void as_many_as_may_are_never_refused(void **state)
{
    pid_t pids[MANY];
    int places = places_open();
    (void)state;
    for (int i = 0; i < MANY; i++)
        if ((pids[i] = fork()) == 0)
            come_back(places, 20);
    for (int i = 0; i < MANY; i++)
        expect_end(pids[i], EXIT_SUCCESS);
    close(places);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_newcomer_overtakes_nobody, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_line_has_an_order_and_an_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_has_a_ticket_waits_for_the_end_of_the_line, set_up,
                                        tear_down),
        cmocka_unit_test(as_many_as_may_are_never_refused),
    };
    return RUN_TESTS(tests);
}
