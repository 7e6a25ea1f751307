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

static void nobody_is_overtaken(void **state)
{
    struct hashing hashing = {places_open(), WORKERS};
    int said[2], place;
    char order[2];
    (void)state;
    assert_int_equal(pipe2(said, O_NONBLOCK), 0);
    assert_int_equal(hashing_enter(&hashing, &place), STATUS_OK);
    pid_t first = come(&hashing, said[1], 'a');
    pid_t second = come(&hashing, said[1], 'b');
    hashing_leave(&hashing, place);
    assert_int_equal(hashing_enter(&hashing, &place), STATUS_OK);
    assert_int_equal(read(said[0], order, sizeof order), sizeof order);
    assert_memory_equal(order, "ab", sizeof order);
    expect_end(first, EXIT_SUCCESS);
    expect_end(second, EXIT_SUCCESS);
    close(said[0]);
    close(said[1]);
    close(hashing.places);
}

static void a_full_line_takes_nobody(void **state)
{
    struct hashing hashing = {places_open(), WORKERS};
    int said[2], place;
    (void)state;
    assert_int_equal(pipe(said), 0);
    assert_int_equal(hashing_enter(&hashing, &place), STATUS_OK);
    pid_t first = come(&hashing, said[1], 'a');
    pid_t second = come(&hashing, said[1], 'b');
    expect_end(come(&hashing, said[1], 'c'), EXIT_FAILURE);
    hashing_leave(&hashing, place);
    expect_end(first, EXIT_SUCCESS);
    expect_end(second, EXIT_SUCCESS);
    close(said[0]);
    close(said[1]);
    close(hashing.places);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_overtaken),
        cmocka_unit_test(a_full_line_takes_nobody),
    };
    return RUN_TESTS(tests);
}
