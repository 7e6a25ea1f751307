#include "pool/lobby.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

enum { PATIENCE = 60000 };

static struct lobby lobby;

/* A guest, and the web server's end of its connection. */
static int arrive(int64_t patience)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    unit_log_begin();
    lobby_add(&lobby, ends[1], patience);
    free(unit_log_end());
    return ends[0];
}

static void speak(int web_server)
{
    assert_int_equal(write(web_server, "x", 1), 1);
}

static bool is_closed(int web_server)
{
    char byte;
    ssize_t got = recv(web_server, &byte, 1, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno == ECONNRESET);
}

static int make(void **state)
{
    (void)state;
    return !lobby_open(&lobby);
}

static int drop(void **state)
{
    (void)state;
    lobby_close(&lobby);
    return 0;
}

static void who_speaks_leaves(void **state)
{
    int first = arrive(PATIENCE), second = arrive(PATIENCE), third = arrive(PATIENCE);
    (void)state;
    assert_int_equal(lobby_take(&lobby), -1);
    speak(second);
    int guest = lobby_take(&lobby);
    assert_true(guest >= 0);
    assert_int_equal(lobby.count, 2);
    speak(guest);
    char byte = 0;
    assert_int_equal(read(second, &byte, 1), 1);
    close(guest);
    assert_int_equal(lobby_take(&lobby), -1);
    close(first); /* has nothing to say any more, which is worth a look */
    guest = lobby_take(&lobby);
    assert_true(guest >= 0);
    close(guest);
    assert_int_equal(lobby.count, 1);
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

static void the_oldest_makes_room(void **state)
{
    int web_servers[LOBBY_MOST + 2];
    (void)state;
    for (size_t i = 0; i < COUNT(web_servers); i++)
        web_servers[i] = arrive(PATIENCE);
    assert_int_equal(lobby.count, LOBBY_MOST);
    for (size_t i = 0; i < COUNT(web_servers); i++)
        assert_int_equal(is_closed(web_servers[i]), i < 2);
    while (lobby.count > 0) {
        speak(web_servers[2 + LOBBY_MOST - lobby.count]);
        close(lobby_take(&lobby));
    }
    for (size_t i = 0; i < COUNT(web_servers); i++) {
        assert_true(is_closed(web_servers[i]));
        close(web_servers[i]);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_speaks_leaves, make, drop),
        cmocka_unit_test_setup_teardown(patience_ends, make, drop),
        cmocka_unit_test_setup_teardown(the_oldest_makes_room, make, drop),
    };
    return RUN_TESTS(tests);
}
