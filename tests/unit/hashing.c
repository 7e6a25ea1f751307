#include "auth/hashing.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/places.h"
#include "unit.h"

/* One hashes, and two may wait, on however many processors. */
enum { WORKERS = 6, FIRST = 1, SECOND = 2 };

static struct hashing hashing;
static int said[2];
static int own; /* this process's place: it hashes, as each test begins */

static int set_up(void **state)
{
    (void)state;
    hashing = (struct hashing){places_open(), WORKERS};
    assert_int_equal(pipe2(said, O_NONBLOCK), 0);
    assert_int_equal(hashing_enter(&hashing, &own), STATUS_OK);
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
        int place;
        if (hashing_enter(&hashing, &place) != STATUS_OK || write(said[1], &name, 1) != 1)
            _exit(EXIT_FAILURE);
        usleep(20000);
        hashing_leave(&hashing, place);
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
    hashing_leave(&hashing, own);
    assert_int_equal(hashing_enter(&hashing, &own), STATUS_OK);
    expect_said("a");
    hashing_leave(&hashing, own);
    expect_end(first, EXIT_SUCCESS);
}

static void a_line_has_an_order_and_an_end(void **state)
{
    (void)state;
    pid_t first = come_and_wait('a', FIRST);
    pid_t second = come_and_wait('b', SECOND);
    expect_end(come('c'), EXIT_FAILURE);
    hashing_leave(&hashing, own);
    expect_end(first, EXIT_SUCCESS);
    expect_end(second, EXIT_SUCCESS);
    expect_said("ab");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_newcomer_overtakes_nobody, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_line_has_an_order_and_an_end, set_up, tear_down),
    };
    return RUN_TESTS(tests);
}
