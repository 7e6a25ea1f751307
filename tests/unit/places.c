#include "base/places.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* A process that takes a place and keeps it until it is killed. */
struct holder {
    pid_t pid;
    int place;
};

static struct holder hold(int places, int first, int count)
{
    int answer[2];
    struct holder holder = {.place = -2};
    assert_int_equal(pipe(answer), 0);
    holder.pid = fork();
    if (holder.pid == 0) {
        int place = places_take(places, first, count);
        if (write(answer[1], &place, sizeof place) == sizeof place)
            pause();
        _exit(0);
    }
    assert_int_equal(read(answer[0], &holder.place, sizeof holder.place), sizeof holder.place);
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
    int places = places_open();
    struct holder holders[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        holders[i] = hold(places, 0, 3);
    for (int i = 0; i < 4; i++)
        assert_int_equal(holders[i].place, i < 3 ? i : -1);
    assert_int_equal(places_take(places, 0, 3), -1);
    for (int place = 0; place < 4; place++)
        assert_int_equal(places_is_taken(places, place), place < 3);
    /* Others are others. */
    assert_int_equal(places_take(places, 3, 1), 3);
    for (int i = 0; i < 4; i++)
        end(holders[i], SIGTERM);
    close(places);
}

static void whoever_dies_leaves(void **state)
{
    int places = places_open();
    struct holder holder = hold(places, 0, 1);
    (void)state;
    assert_int_equal(places_take(places, 0, 1), -1);
    end(holder, SIGKILL);
    assert_int_equal(places_take(places, 0, 1), 0);
    close(places);
}

static void a_place_that_was_left_is_free(void **state)
{
    int places = places_open();
    (void)state;
    assert_int_equal(places_take(places, 5, 2), 5);
    struct holder holder = hold(places, 5, 2);
    assert_int_equal(holder.place, 6);
    places_leave(places, 5);
    struct holder other = hold(places, 5, 2);
    assert_int_equal(other.place, 5);
    end(holder, SIGKILL);
    end(other, SIGKILL);
    close(places);
}

static void all_that_were_left_are_free(void **state)
{
    int places = places_open();
    (void)state;
    assert_int_equal(places_take(places, 0, 1), 0);
    assert_int_equal(places_take(places, 7, 1), 7);
    places_leave_all(places);
    struct holder first = hold(places, 0, 1), second = hold(places, 7, 1);
    assert_int_equal(first.place, 0);
    assert_int_equal(second.place, 7);
    end(first, SIGKILL);
    end(second, SIGKILL);
    close(places);
}

static void none_of_none(void **state)
{
    int places = places_open();
    (void)state;
    assert_int_equal(places_take(places, 0, 0), -1);
    close(places);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_than_there_are),
        cmocka_unit_test(whoever_dies_leaves),
        cmocka_unit_test(a_place_that_was_left_is_free),
        cmocka_unit_test(all_that_were_left_are_free),
        cmocka_unit_test(none_of_none),
    };
    return RUN_TESTS(tests);
}
