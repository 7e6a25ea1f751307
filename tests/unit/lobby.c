#include "pool/lobby.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "fastcgi.h"
#include "unit.h"

enum { PATIENCE = 60000 };

static const char request[] = "\1\1\0\7\0\10\0\0\0\1\0\0\0\0\0\0"
                              "\1\4\0\7\0\0\0\0"
                              "\1\5\0\7\0\3\0\0"
                              "a=1"
                              "\1\5\0\7\0\0\0\0";
enum { REQUEST_SIZE = sizeof request - 1 };

static const struct input_options options = {&fastcgi_spool, 1048576};
static struct lobby lobby;
static struct handoff taken;

static int make(void **state)
{
    (void)state;
    return !lobby_open(&lobby, &options);
}

static int drop(void **state)
{
    (void)state;
    lobby_close(&lobby);
    input_free(&taken.input, &fastcgi_spool);
    return 0;
}

/* A guest: the web server's end of its connection. */
static int arrive(int64_t patience)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    struct handoff guest = {.connection = ends[1], .until = clock_milliseconds() + patience};
    unit_log_begin();
    lobby_add(&lobby, &guest);
    free(unit_log_end());
    return ends[0];
}

static void say(int web_server, const char *bytes, size_t length)
{
    assert_int_equal(write(web_server, bytes, length), length);
}

/* The connection of who leaves, or -1; the log is thrown away. */
static int take(void)
{
    unit_log_begin();
    input_free(&taken.input, &fastcgi_spool);
    int connection = lobby_take(&lobby, &taken) ? taken.connection : -1;
    free(unit_log_end());
    return connection;
}

static bool is_closed(int web_server)
{
    char byte;
    ssize_t got = recv(web_server, &byte, 1, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno == ECONNRESET);
}

static void who_has_a_request_leaves(void **state)
{
    int first = arrive(PATIENCE), second = arrive(PATIENCE);
    (void)state;
    assert_int_equal(take(), -1);
    say(second, request, REQUEST_SIZE);
    int connection = take();
    assert_true(connection >= 0);
    assert_int_equal(lobby.count, 1);
    assert_int_equal(taken.input.body_length, 3);
    say(connection, "x", 1);
    char byte = 0;
    assert_int_equal(read(second, &byte, 1), 1);
    close(connection);
    assert_int_equal(take(), -1);
    assert_false(is_closed(first));
    close(first);
    close(second);
}

static void a_request_may_come_in_parts(void **state)
{
    int first = arrive(PATIENCE), second = arrive(PATIENCE), connection = -1;
    (void)state;
    for (size_t i = 0; i < REQUEST_SIZE; i++) {
        assert_int_equal(take(), -1);
        say(first, request + i, 1);
        say(second, request + i, 1);
        connection = take();
        assert_int_equal(connection >= 0, i == REQUEST_SIZE - 1);
        if (i < REQUEST_SIZE - 1)
            assert_int_equal(take(), -1);
    }
    close(connection);
    connection = take();
    assert_true(connection >= 0);
    assert_int_equal(taken.input.body_length, 3);
    close(connection);
    assert_int_equal(lobby.count, 0);
    close(first);
    close(second);
}

static void who_leaves_or_says_nonsense_is_closed(void **state)
{
    int first = arrive(PATIENCE), second = arrive(PATIENCE), third = arrive(PATIENCE);
    (void)state;
    close(first);
    say(second, "nonsense", 8);
    assert_int_equal(take(), -1);
    assert_int_equal(take(), -1);
    assert_int_equal(lobby.count, 1);
    assert_true(is_closed(second));
    assert_false(is_closed(third));
    close(second);
    close(third);
}

static void patience_ends(void **state)
{
    (void)state;
    assert_int_equal(lobby_wants(&lobby), -1);
    int first = arrive(0), second = arrive(PATIENCE);
    assert_int_equal(lobby_wants(&lobby), 0);
    unit_log_begin();
    lobby_expire(&lobby);
    free(unit_log_end());
    assert_true(is_closed(first));
    assert_false(is_closed(second));
    assert_true(lobby_wants(&lobby) > PATIENCE / 2 && lobby_wants(&lobby) <= PATIENCE);
    close(first);
    close(second);
}

static void who_is_silent_is_hurried(void **state)
{
    int silent = arrive(PATIENCE), begun = arrive(PATIENCE);
    (void)state;
    say(begun, request, 1);
    assert_int_equal(take(), -1);
    lobby_hurry_silent(&lobby, 0);
    assert_int_equal(lobby_wants(&lobby), 0);
    unit_log_begin();
    lobby_expire(&lobby);
    free(unit_log_end());
    assert_true(is_closed(silent));
    assert_false(is_closed(begun));
    lobby_hurry_silent(&lobby, 0);
    assert_true(lobby_wants(&lobby) > PATIENCE / 2);
    close(silent);
    close(begun);
}

static void the_oldest_makes_room(void **state)
{
    int web_servers[LOBBY_MOST + 2];
    (void)state;
    for (size_t i = 0; i < COUNT(web_servers); i++)
        web_servers[i] = arrive(PATIENCE);
    assert_int_equal(lobby.count, LOBBY_MOST);
    for (size_t i = 0; i < COUNT(web_servers); i++) {
        assert_int_equal(is_closed(web_servers[i]), i < 2);
        close(web_servers[i]);
    }
}

/* The one that came first of those that are spooled, and only where the spool is nearly full. */
static void the_slowest_makes_room_in_the_spool(void **state)
{
    int small = arrive(PATIENCE), first = arrive(PATIENCE), second = arrive(PATIENCE);
    (void)state;
    for (size_t i = 1; i < lobby.count; i++)
        assert_int_equal(spool_add(&fastcgi_spool, &lobby.guests[i].input.file, "x", 1), STATUS_OK);
    assert_true(lobby_wants(&lobby) < 1000);
    lobby_thin(&lobby);
    assert_int_equal(lobby.count, 3);
    atomic_fetch_add(fastcgi_spool.all, SPOOL_MOST - 10);
    for (size_t left = 2; left > 0; left--) {
        unit_log_begin();
        lobby_thin(&lobby);
        free(unit_log_end());
        assert_int_equal(lobby.count, left);
        assert_true(is_closed(first));
        assert_int_equal(is_closed(second), left == 1);
    }
    lobby_thin(&lobby);
    assert_false(is_closed(small));
    assert_int_equal(atomic_exchange(fastcgi_spool.all, 0), SPOOL_MOST - 10);
    close(small);
    close(first);
    close(second);
}

/* Both ends of each connection are ours, and a soft limit of 1024 is the usual one. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

int main(void)
{
    allow_descriptors();
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_has_a_request_leaves, make, drop),
        cmocka_unit_test_setup_teardown(a_request_may_come_in_parts, make, drop),
        cmocka_unit_test_setup_teardown(who_leaves_or_says_nonsense_is_closed, make, drop),
        cmocka_unit_test_setup_teardown(patience_ends, make, drop),
        cmocka_unit_test_setup_teardown(who_is_silent_is_hurried, make, drop),
        cmocka_unit_test_setup_teardown(the_oldest_makes_room, make, drop),
        cmocka_unit_test_setup_teardown(the_slowest_makes_room_in_the_spool, make, drop),
    };
    return RUN_TESTS(tests);
}
