#include "auth/hashing.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/places.h"
#include "unit.h"

/* One hashes, and two may wait, on however many processors. */
enum { WORKERS = 6 };

/* A process that waits for its turn, says so when that has come, and is done soon. */
static pid_t come(const struct hashing *hashing, int said, char name)
{
    pid_t pid = fork();
    if (pid == 0) {
        int place;
        if (hashing_enter(hashing, &place) != STATUS_OK || write(said, &name, 1) != 1)
            _exit(EXIT_FAILURE);
        usleep(20000);
        hashing_leave(hashing, place);
        _exit(EXIT_SUCCESS);
    }
    usleep(100000); /* it is in line */
    return pid;
}

static void expect_end(pid_t pid, int want)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), want);
}

static void expect_said(int said, const char *want)
{
    char order[8] = "";
    assert_true(read(said, order, sizeof order - 1) >= 0);
    assert_string_equal(order, want);
}

static void a_newcomer_overtakes_nobody(void **state)
{
    struct hashing hashing = {places_open(), WORKERS};
    int said[2], place;
    (void)state;
    assert_int_equal(pipe2(said, O_NONBLOCK), 0);
    assert_int_equal(hashing_enter(&hashing, &place), STATUS_OK);
    pid_t first = come(&hashing, said[1], 'a');
    hashing_leave(&hashing, place);
    assert_int_equal(hashing_enter(&hashing, &place), STATUS_OK);
    expect_said(said[0], "a");
    hashing_leave(&hashing, place);
    expect_end(first, EXIT_SUCCESS);
    close(said[0]);
    close(said[1]);
    close(hashing.places);
}

static void a_line_has_an_order_and_an_end(void **state)
{
    struct hashing hashing = {places_open(), WORKERS};
    int said[2], place;
    (void)state;
    assert_int_equal(pipe2(said, O_NONBLOCK), 0);
    assert_int_equal(hashing_enter(&hashing, &place), STATUS_OK);
    pid_t first = come(&hashing, said[1], 'a');
    pid_t second = come(&hashing, said[1], 'b');
    expect_end(come(&hashing, said[1], 'c'), EXIT_FAILURE);
    hashing_leave(&hashing, place);
    expect_end(first, EXIT_SUCCESS);
    expect_end(second, EXIT_SUCCESS);
    expect_said(said[0], "ab");
    close(said[0]);
    close(said[1]);
    close(hashing.places);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_newcomer_overtakes_nobody),
        cmocka_unit_test(a_line_has_an_order_and_an_end),
    };
    return RUN_TESTS(tests);
}
