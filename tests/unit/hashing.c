#include "auth/hashing.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* One hashes and two may wait, on however many processors. */
enum { WORKERS = 6, SETTLES = 50000, MANY = 16 };

static struct hashing hashing;
static int said[2];

static const struct hashing_client first = {"192.0.2.1", "192.0.2", "first@example.org", false};

/* This process hashes, as each test begins. */
static int set_up(void **state)
{
    (void)state;
    hashing = (struct hashing){hashing_open(), WORKERS};
    assert_non_null(hashing.queue);
    assert_int_equal(pipe2(said, O_NONBLOCK), 0);
    assert_int_equal(hashing_enter(&hashing, &first), STATUS_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    close(said[0]);
    close(said[1]);
    hashing_close(&hashing.queue);
    return 0;
}

/* A process that waits for its turn, says so when that has come, and is done soon. It has found its
 * place in the queue when this returns. */
static pid_t come_from(char name, const struct hashing_client *client)
{
    pid_t pid = fork();
    if (pid == 0) {
        if (hashing_enter(&hashing, client) != STATUS_OK || write(said[1], &name, 1) != 1)
            _exit(EXIT_FAILURE);
        usleep(20000);
        hashing_leave(&hashing);
        _exit(EXIT_SUCCESS);
    }
    usleep(SETTLES);
    return pid;
}

/* Each from a site of its own. */
static pid_t come(char name, const char *network, const char *account)
{
    return come_from(name, &(struct hashing_client){network, network + 1, account, false});
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

/* Two who wait, and in which order they have their turn when the permit is free. */
static const struct {
    const char *name;
    struct hashing_client a, b;
    const char *want;
} orders[] = {
    {"who came first", {"new", "x", "a", false}, {"other", "y", "b", false}, "ab"},
    {"the network that hashes comes later",
     {"192.0.2.1", "x", "a", false},
     {"other", "y", "b", false},
     "ba"},
    {"so does its neighbour",
     {"192.0.2.2", "192.0.2", "a", false},
     {"other", "y", "b", false},
     "ba"},
    {"who is before it",
     {"192.0.2.1", "192.0.2", "a", false},
     {"192.0.2.2", "192.0.2", "b", false},
     "ba"},
    {"so does the account",
     {"new", "x", "FIRST@example.org", false},
     {"other", "y", "b", false},
     "ba"},
    {"but where it is known",
     {"new", "x", "first@example.org", true},
     {"other", "y", "b", false},
     "ab"},
    {"who is known comes first", {"new", "x", "a", false}, {"other", "y", "b", true}, "ba"},
    {"of one network, too",
     {"192.0.2.1", "192.0.2", "a", false},
     {"192.0.2.1", "192.0.2", "b", true},
     "ba"},
};

static void order(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(orders); i++) {
        const struct hashing_client *a = &orders[i].a, *b = &orders[i].b;
        char got[3] = "";
        set_up(NULL);
        pid_t one = come_from('a', a);
        pid_t other = come_from('b', b);
        hashing_leave(&hashing);
        expect_end(one, EXIT_SUCCESS);
        expect_end(other, EXIT_SUCCESS);
        assert_true(read(said[0], got, 2) == 2);
        expect_text(orders[i].name, got, orders[i].want);
        tear_down(NULL);
    }
}

static void a_network_that_had_much_makes_room_for_another(void **state)
{
    (void)state;
    pid_t one = come('a', "192.0.2.1", "a");
    pid_t last = come('b', "192.0.2.1", "b");
    expect_end(come('c', "192.0.2.1", "c"), EXIT_FAILURE);
    pid_t other = come('d', "192.0.2.2", "d");
    expect_end(last, EXIT_FAILURE);
    hashing_leave(&hashing);
    expect_end(one, EXIT_SUCCESS);
    expect_end(other, EXIT_SUCCESS);
    expect_said("da");
}

/* What it had counts after that, too. */
static void a_network_that_comes_back_at_once_waits_for_others(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        hashing_leave(&hashing);
        assert_int_equal(hashing_enter(&hashing, &first), STATUS_OK);
    }
    pid_t again = come('a', "192.0.2.1", "a");
    pid_t new = come('b', "192.0.2.2", "b");
    hashing_leave(&hashing);
    expect_end(again, EXIT_SUCCESS);
    expect_end(new, EXIT_SUCCESS);
    expect_said("ba");
}

static void who_is_refused_had_nothing(void **state)
{
    (void)state;
    pid_t waiting[] = {come('a', "192.0.2.2", "a"), come('b', "192.0.2.3", "b")};
    for (int i = 0; i < 3; i++)
        expect_end(come('x', "192.0.2.4", "x"), EXIT_FAILURE);
    hashing_leave(&hashing);
    expect_end(waiting[0], EXIT_SUCCESS);
    expect_end(waiting[1], EXIT_SUCCESS);
    expect_said("ab");
    assert_int_equal(hashing_enter(&hashing, &first), STATUS_OK);
    pid_t had = come('a', "192.0.2.2", "a"), had_not = come('x', "192.0.2.4", "x");
    hashing_leave(&hashing);
    expect_end(had, EXIT_SUCCESS);
    expect_end(had_not, EXIT_SUCCESS);
    expect_said("xa");
}

static void nobody_waits_for_ever(void **state)
{
    (void)state;
    expect_end(come('a', "192.0.2.2", "a"), EXIT_FAILURE);
}

static void who_is_killed_leaves(void **state)
{
    (void)state;
    hashing_leave(&hashing);
    pid_t pid = fork();
    if (pid == 0) {
        if (hashing_enter(&hashing, &first) == STATUS_OK && write(said[1], "a", 1) == 1)
            pause();
        _exit(EXIT_FAILURE);
    }
    usleep(SETTLES);
    expect_said("a");
    pid_t waiting = come('b', "192.0.2.2", "b");
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    expect_end(waiting, EXIT_SUCCESS);
    expect_said("b");
}

/* Somebody who comes back as soon as he is done. */
static void come_back(const struct hashing *all, int times)
{
    for (int i = 0; i < times; i++) {
        if (hashing_enter(all, &first) != STATUS_OK)
            _exit(EXIT_FAILURE);
        usleep(1000);
        hashing_leave(all);
    }
    _exit(EXIT_SUCCESS);
}

static void as_many_as_may_are_never_refused(void **state)
{
    const struct hashing all = {hashing_open(), 2 * MANY};
    pid_t pids[MANY];
    (void)state;
    for (int i = 0; i < MANY; i++)
        if ((pids[i] = fork()) == 0)
            come_back(&all, 20);
    for (int i = 0; i < MANY; i++)
        expect_end(pids[i], EXIT_SUCCESS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(order),
        TEST(a_network_that_had_much_makes_room_for_another),
        TEST(a_network_that_comes_back_at_once_waits_for_others),
        TEST(who_is_refused_had_nothing),
        TEST(nobody_waits_for_ever),
        TEST(who_is_killed_leaves),
        cmocka_unit_test(as_many_as_may_are_never_refused),
    };
    return RUN_TESTS(tests);
}
