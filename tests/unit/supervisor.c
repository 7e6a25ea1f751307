#include "run/supervisor.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/child.h"
#include "unit.h"

enum { CHANGING, STAYING, DYING, KINDS };
enum { MOST = 4, LONG = 10000, DRAIN = 300 }; /* milliseconds */

/* What the processes do, and tell the test, in memory that they share. */
struct told {
    atomic_int wanted, next_wanted; /* changing ones, now and after the next reload */
    atomic_bool is_refused;         /* the next reload */
    atomic_bool is_deaf;            /* those that start do not hear CHILD_STOP */
    atomic_bool is_busy;            /* those that start work on and on */
    atomic_int dying;               /* wanted */
    atomic_int ready, stopping, ended[MOST];
};

static struct told *told;
static struct scoreboard *scoreboard;
static struct config config;
static pid_t master;

static int wait_for_stop(void *context, const struct config *its_config,
                         struct scoreboard_slot *slot, size_t number)
{
    int signal;
    sigset_t stop;
    (void)context, (void)its_config, (void)number;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    child_is_ready(slot);
    if (atomic_load(&told->is_busy))
        progress_enter(&slot->progress, STAGE_WORKING);
    sigemptyset(&stop);
    sigaddset(&stop, CHILD_STOP);
    do
        sigwait(&stop, &signal);
    while (atomic_load(&told->is_deaf));
    return EXIT_SUCCESS;
}

static int die(void *context, const struct config *its_config, struct scoreboard_slot *slot,
               size_t number)
{
    (void)context, (void)its_config, (void)slot, (void)number;
    return EXIT_FAILURE;
}

static size_t as_many_as_workers(const struct config *now)
{
    return (size_t)now->workers;
}

static size_t one(const struct config *now)
{
    (void)now;
    return 1;
}

static size_t dying(const struct config *now)
{
    (void)now;
    return (size_t)atomic_load(&told->dying);
}

static void count_end(void *context, size_t number, bool has_worked)
{
    (void)context, (void)has_worked;
    atomic_fetch_add(&told->ended[number], 1);
}

static int64_t no_time_for_work(const struct config *now, enum stage stage)
{
    (void)now;
    return stage == STAGE_WORKING ? 0 : -1;
}

static const struct child_kind kinds[] = {
    [CHANGING] = {.name = "changing",
                  .most = MOST,
                  .wanted = as_many_as_workers,
                  .run = wait_for_stop,
                  .ended = count_end,
                  .limit = no_time_for_work,
                  .reload = CHILD_REPLACED},
    [STAYING] =
        {.name = "staying", .most = 1, .wanted = one, .run = wait_for_stop, .reload = CHILD_STAYS},
    [DYING] = {.name = "dying", .most = 1, .wanted = dying, .run = die, .reload = CHILD_STAYS},
    [KINDS] = {.name = NULL},
};

static enum status reload(void *context)
{
    (void)context;
    if (atomic_load(&told->is_refused))
        return STATUS_INTERNAL;
    config.workers = atomic_load(&told->next_wanted);
    return STATUS_OK;
}

static void count_ready(const void *context)
{
    (void)context;
    atomic_fetch_add(&told->ready, 1);
}

static void describe(const void *context, char *status, size_t size)
{
    (void)context;
    assert_true(size > 0);
    *status = '\0';
}

static void count_stopping(void *context)
{
    (void)context;
    atomic_fetch_add(&told->stopping, 1);
}

static int begin(void **state)
{
    (void)state;
    told = scoreboard_map(sizeof *told);
    scoreboard = scoreboard_new(kinds);
    config = (struct config){.workers = 2, .drain_timeout = DRAIN};
    atomic_store(&told->next_wanted, 2);
    return told == NULL || scoreboard == NULL;
}

static void supervise(void)
{
    const struct supervisor_options options = {.scoreboard = scoreboard,
                                               .config = &config,
                                               .reload = reload,
                                               .ready = count_ready,
                                               .describe = describe,
                                               .stopping = count_stopping};
    master = fork();
    if (master != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    _exit(supervisor_run(&options));
}

static int stop(void)
{
    int status = 0;
    kill(master, SIGTERM);
    assert_int_equal(waitpid(master, &status, 0), master);
    master = 0;
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int end(void **state)
{
    (void)state;
    if (master != 0) {
        kill(master, SIGKILL);
        waitpid(master, NULL, 0);
    }
    master = 0;
    scoreboard_free(&scoreboard);
    return 0;
}

static size_t at(int kind, enum stage stage)
{
    return scoreboard_count(&scoreboard->kinds[kind]).counts[stage];
}

static unsigned long restarts(int kind, enum restart why)
{
    return atomic_load(&scoreboard->kinds[kind].board->restarts[why]);
}

#define until(condition)                                         \
    do {                                                         \
        int64_t until_end = clock_milliseconds() + LONG;         \
        while (!(condition) && clock_milliseconds() < until_end) \
            usleep(5000);                                        \
        assert_true(condition);                                  \
    } while (0)

static bool all_are_there(size_t changing)
{
    return at(CHANGING, STAGE_IDLE) == changing && at(STAYING, STAGE_IDLE) == 1;
}

static void as_many_as_wanted_start_and_end(void **state)
{
    (void)state;
    supervise();
    until(all_are_there(2) && atomic_load(&told->ready) == 1);
    assert_int_equal(atomic_load(&told->stopping), 0);
    assert_int_equal(stop(), EXIT_SUCCESS);
    assert_int_equal(atomic_load(&told->stopping), 1);
    assert_true(atomic_load(&scoreboard->settings->draining));
    assert_int_equal(restarts(CHANGING, RESTART_RECYCLED), 2);
    assert_int_equal(restarts(STAYING, RESTART_RECYCLED), 1);
    assert_int_equal(at(CHANGING, STAGE_NONE), 2);
}

static void a_reload_changes_those_that_change(void **state)
{
    (void)state;
    supervise();
    until(all_are_there(2) && atomic_load(&told->ready) == 1);
    atomic_store(&told->next_wanted, 3);
    kill(master, SIGHUP);
    until(all_are_there(3) && atomic_load(&told->ready) == 2);
    assert_int_equal(restarts(CHANGING, RESTART_RELOADED), 2);
    assert_int_equal(restarts(STAYING, RESTART_RELOADED), 0);
    atomic_store(&told->next_wanted, 1);
    kill(master, SIGHUP);
    until(all_are_there(1) && atomic_load(&told->ready) == 3);
    assert_int_equal(restarts(CHANGING, RESTART_RELOADED), 5);
    assert_int_equal(at(CHANGING, STAGE_NONE), 0);
    assert_int_equal(atomic_load(&told->ended[0]), 2);
    assert_int_equal(atomic_load(&told->ended[2]), 1);
    assert_int_equal(stop(), EXIT_SUCCESS);
}

static void a_refused_reload_changes_nothing(void **state)
{
    (void)state;
    supervise();
    until(all_are_there(2) && atomic_load(&told->ready) == 1);
    atomic_store(&told->is_refused, true);
    kill(master, SIGHUP);
    until(atomic_load(&scoreboard->settings->failed_reloads) == 1);
    assert_int_equal(atomic_load(&scoreboard->settings->reloads), 0);
    assert_int_equal(stop(), EXIT_SUCCESS);
    assert_int_equal(restarts(CHANGING, RESTART_RELOADED), 0);
}

/* After 100, 200, 400 and 800 milliseconds, if nothing takes its time. */
static void what_dies_at_its_start_is_started_ever_later(void **state)
{
    (void)state;
    atomic_store(&told->dying, 1);
    supervise();
    until(restarts(DYING, RESTART_DIED) == 4);
    assert_true(all_are_there(2));
    int64_t fourth = clock_milliseconds();
    until(restarts(DYING, RESTART_DIED) == 5);
    assert_true(clock_milliseconds() - fourth >= 400);
    assert_int_equal(stop(), EXIT_SUCCESS);
}

static void what_is_stuck_is_killed_and_replaced(void **state)
{
    (void)state;
    atomic_store(&told->is_busy, true);
    supervise();
    until(at(CHANGING, STAGE_WORKING) == 2 && at(STAYING, STAGE_WORKING) == 1);
    atomic_store(&told->is_busy, false);
    until(at(CHANGING, STAGE_IDLE) == 2);
    assert_true(restarts(CHANGING, RESTART_STUCK) >= 2);
    assert_int_equal(at(STAYING, STAGE_WORKING), 1);
    assert_int_equal(stop(), EXIT_SUCCESS);
}

static void who_does_not_end_when_told_is_killed(void **state)
{
    (void)state;
    atomic_store(&told->is_deaf, true);
    supervise();
    until(all_are_there(2));
    assert_int_equal(stop(), EXIT_FAILURE);
    assert_int_equal(scoreboard_restarts(scoreboard, RESTART_STUCK), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(as_many_as_wanted_start_and_end, begin, end),
        cmocka_unit_test_setup_teardown(a_reload_changes_those_that_change, begin, end),
        cmocka_unit_test_setup_teardown(a_refused_reload_changes_nothing, begin, end),
        cmocka_unit_test_setup_teardown(what_dies_at_its_start_is_started_ever_later, begin, end),
        cmocka_unit_test_setup_teardown(what_is_stuck_is_killed_and_replaced, begin, end),
        cmocka_unit_test_setup_teardown(who_does_not_end_when_told_is_killed, begin, end),
    };
    return RUN_TESTS(tests);
}
