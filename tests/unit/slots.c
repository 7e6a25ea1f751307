#include "base/slots.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* A process that takes a slot and keeps it until it is killed. */
struct holder {
    pid_t pid;
    int slot;
};

static struct holder hold(int slots, int first, int count)
{
    int answer[2];
    struct holder holder = {.slot = -2};
    assert_int_equal(pipe(answer), 0);
    holder.pid = fork();
    if (holder.pid == 0) {
        int slot = slots_take(slots, first, count);
        if (write(answer[1], &slot, sizeof slot) == sizeof slot)
            pause();
        _exit(0);
    }
    assert_int_equal(read(answer[0], &holder.slot, sizeof holder.slot), sizeof holder.slot);
    close(answer[0]);
    close(answer[1]);
    return holder;
}

static void end(struct holder holder, int signal)
{
    kill(holder.pid, signal);
    assert_int_equal(waitpid(holder.pid, NULL, 0), holder.pid);
}

static void no_more_than_there_are(void **state)
{
    int slots = slots_open();
    struct holder holders[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        holders[i] = hold(slots, 0, 3);
    for (int i = 0; i < 4; i++)
        assert_int_equal(holders[i].slot, i < 3 ? i : -1);
    assert_int_equal(slots_take(slots, 0, 3), -1);
    for (int slot = 0; slot < 4; slot++)
        assert_int_equal(slots_is_taken(slots, slot), slot < 3);
    /* Others are others. */
    assert_int_equal(slots_take(slots, 3, 1), 3);
    for (int i = 0; i < 4; i++)
        end(holders[i], SIGTERM);
    close(slots);
}

static void whoever_dies_leaves(void **state)
{
    int slots = slots_open();
    struct holder holder = hold(slots, 0, 1);
    (void)state;
    assert_int_equal(slots_take(slots, 0, 1), -1);
    end(holder, SIGKILL);
    assert_int_equal(slots_take(slots, 0, 1), 0);
    close(slots);
}

static void a_slot_that_was_left_is_free(void **state)
{
    int slots = slots_open();
    (void)state;
    assert_int_equal(slots_take(slots, 5, 2), 5);
    struct holder holder = hold(slots, 5, 2);
    assert_int_equal(holder.slot, 6);
    slots_leave(slots, 5);
    struct holder other = hold(slots, 5, 2);
    assert_int_equal(other.slot, 5);
    end(holder, SIGKILL);
    end(other, SIGKILL);
    close(slots);
}

static void all_that_were_left_are_free(void **state)
{
    int slots = slots_open();
    (void)state;
    assert_int_equal(slots_take(slots, 0, 1), 0);
    assert_int_equal(slots_take(slots, 7, 1), 7);
    slots_leave_all(slots);
    struct holder first = hold(slots, 0, 1), second = hold(slots, 7, 1);
    assert_int_equal(first.slot, 0);
    assert_int_equal(second.slot, 7);
    end(first, SIGKILL);
    end(second, SIGKILL);
    close(slots);
}

static void none_of_none(void **state)
{
    int slots = slots_open();
    (void)state;
    assert_int_equal(slots_take(slots, 0, 0), -1);
    close(slots);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_than_there_are),
        cmocka_unit_test(whoever_dies_leaves),
        cmocka_unit_test(a_slot_that_was_left_is_free),
        cmocka_unit_test(all_that_were_left_are_free),
        cmocka_unit_test(none_of_none),
    };
    return RUN_TESTS(tests);
}
