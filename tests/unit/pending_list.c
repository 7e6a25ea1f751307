#include "serve/pending_list.h"

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
static struct permits *permits;
static struct pending_list list;
static struct pending taken;

static int make(void **state)
{
    (void)state;
    permits = permits_new();
    permits_set_workers(permits, 1);
    return !pending_list_open(&list, &options, permits, PENDING_LIST_MOST);
}

static int drop(void **state)
{
    (void)state;
    pending_list_close(&list);
    input_free(&taken.input, &fastcgi_spool);
    permits_free(&permits);
    return 0;
}

/* A connection that is pending: the web server's end of its connection. */
static int arrive(int64_t patience)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    int64_t now = clock_milliseconds();
    struct pending pending = {
        .connection = ends[1], .since = now, .until = now + patience, .patience = patience};
    unit_log_begin();
    pending_list_add(&list, &pending);
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
    int connection = pending_list_take(&list, &taken) ? taken.connection : -1;
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
    assert_int_equal(list.counts[PENDING_REQUEST], 1);
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
    assert_int_equal(list.counts[PENDING_REQUEST], 0);
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
    assert_int_equal(list.counts[PENDING_REQUEST], 1);
    assert_true(is_closed(second));
    assert_false(is_closed(third));
    close(second);
    close(third);
}

static void patience_ends(void **state)
{
    (void)state;
    assert_int_equal(pending_list_wants(&list), -1);
    int first = arrive(0), second = arrive(PATIENCE);
    assert_int_equal(pending_list_wants(&list), 0);
    unit_log_begin();
    pending_list_expire(&list);
    free(unit_log_end());
    assert_true(is_closed(first));
    assert_false(is_closed(second));
    assert_true(pending_list_wants(&list) > PATIENCE / 2 && pending_list_wants(&list) <= PATIENCE);
    close(first);
    close(second);
}

static void who_is_silent_is_hurried(void **state)
{
    int silent = arrive(PATIENCE), begun = arrive(PATIENCE);
    (void)state;
    say(begun, request, 1);
    assert_int_equal(take(), -1);
    pending_list_hurry_silent(&list, 0);
    assert_int_equal(pending_list_wants(&list), 0);
    unit_log_begin();
    pending_list_expire(&list);
    free(unit_log_end());
    assert_true(is_closed(silent));
    assert_false(is_closed(begun));
    pending_list_hurry_silent(&list, 0);
    assert_true(pending_list_wants(&list) > PATIENCE / 2);
    close(silent);
    close(begun);
}

/* It came long ago, and has a while from its last byte on, as far as all its bytes go. */
static void who_goes_on_sending_has_more_time(void **state)
{
    static const char start[] = "\1\4\0\7\377\377\0\0\1\377";
    static char variables[30000];
    int fast = arrive(PATIENCE), slow = arrive(PATIENCE);
    (void)state;
    memset(variables, 'x', sizeof variables);
    say(fast, request, 16);
    say(fast, start, sizeof start - 1);
    say(slow, request, 1);
    for (int i = 0; i < 2; i++)
        assert_int_equal(take(), -1);
    list.connections[0].since = list.connections[1].since = clock_milliseconds() - PATIENCE - 20000;
    say(fast, variables, sizeof variables);
    say(slow, request + 1, 1);
    for (int i = 0; i < 2; i++)
        assert_int_equal(take(), -1);
    unit_log_begin();
    pending_list_expire(&list);
    free(unit_log_end());
    assert_false(is_closed(fast));
    assert_true(is_closed(slow));
    assert_in_range(pending_list_wants(&list), 1, sizeof variables);
    close(fast);
    close(slow);
}

/* A flood of those who have just begun leaves who has sent more in less time. */
static void the_slowest_makes_room(void **state)
{
    int web_servers[PENDING_LIST_MOST + 2];
    (void)state;
    for (size_t i = 0; i < COUNT(web_servers) - 2; i++)
        web_servers[i] = arrive(PATIENCE);
    for (size_t i = 0; i < COUNT(web_servers) - 2; i++)
        list.connections[i].since -= 10000;
    list.connections[0].input.received = 1000000;
    for (size_t i = COUNT(web_servers) - 2; i < COUNT(web_servers); i++)
        web_servers[i] = arrive(PATIENCE);
    for (size_t i = 0; i < COUNT(web_servers); i++) {
        assert_int_equal(is_closed(web_servers[i]), i == 1 || i == 2);
        close(web_servers[i]);
    }
}

static void the_oldest_makes_room(void **state)
{
    int web_servers[PENDING_LIST_MOST + 2];
    (void)state;
    for (size_t i = 0; i < COUNT(web_servers); i++)
        web_servers[i] = arrive(PATIENCE);
    assert_int_equal(list.counts[PENDING_REQUEST], PENDING_LIST_MOST);
    for (size_t i = 0; i < COUNT(web_servers); i++) {
        assert_int_equal(is_closed(web_servers[i]), i < 2);
        close(web_servers[i]);
    }
}

/* A connection whose request is whole, and waits so many milliseconds for a permit. */
static int arrive_from(const char *network, int64_t patience)
{
    int ends[2];
    int64_t now = clock_milliseconds();
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    struct pending pending = {
        .kind = PENDING_PERMIT, .connection = ends[1], .since = now, .until = now + patience};
    pending.asker = (struct asker){.class = WORK_FILE, .network = permits_name(permits, network)};
    buffer_add_text(&pending.input.records, "records");
    pending_list_add(&list, &pending);
    return ends[0];
}

static int arrive_for_permit(int64_t patience)
{
    return arrive_from("192.0.2.1", patience);
}

/* True where the connection that was taken is this one. */
static bool is_taken(int web_server)
{
    char byte = 0;
    say(taken.connection, "x", 1);
    bool is_this = recv(web_server, &byte, 1, MSG_DONTWAIT) == 1;
    pending_close(&taken, &fastcgi_spool);
    return is_this;
}

static struct permit hold_all(void)
{
    const struct asker asker = {.class = WORK_FILE, .network = 1};
    struct permit permit;
    assert_true(permits_take(permits, 0, &asker, false, &permit));
    return permit;
}

static void a_permit_goes_to_the_first(void **state)
{
    struct permit held = hold_all();
    int first = arrive_for_permit(PATIENCE), request_of = arrive(PATIENCE);
    int second = arrive_for_permit(PATIENCE);
    (void)state;
    assert_false(pending_list_take_permit(&list, &taken));
    permits_give(permits, &held);
    assert_true(pending_list_take_permit(&list, &taken));
    assert_int_equal(taken.input.records.length, 7);
    held = taken.permit;
    assert_true(held.serial > 0);
    assert_true(is_taken(first));
    assert_int_equal(list.counts[PENDING_PERMIT], 1);
    assert_false(pending_list_take_permit(&list, &taken));
    permits_give(permits, &held);
    assert_true(pending_list_take_permit(&list, &taken));
    assert_true(is_taken(second));
    assert_false(pending_list_take_permit(&list, &taken));
    assert_int_equal(list.counts[PENDING_REQUEST], 1);
    close(first);
    close(second);
    close(request_of);
}

/* It is not closed, as it is to be answered; and the list does not ask for it without a pause. */
static void a_late_request_is_taken_without_a_permit(void **state)
{
    struct permit held = hold_all();
    int late = arrive_for_permit(0), other = arrive_for_permit(PATIENCE);
    (void)state;
    assert_in_range(pending_list_wants(&list), 1, PATIENCE);
    pending_list_expire(&list);
    assert_int_equal(list.counts[PENDING_PERMIT], 2);
    assert_true(pending_list_take_permit(&list, &taken));
    assert_int_equal(taken.permit.serial, 0);
    assert_true(is_taken(late));
    assert_false(pending_list_take_permit(&list, &taken));
    permits_give(permits, &held);
    close(late);
    close(other);
}

static void a_closed_connection_waits_for_no_permit(void **state)
{
    int first = arrive_for_permit(PATIENCE), second = arrive_for_permit(PATIENCE);
    (void)state;
    pending_list_drop(&list);
    assert_int_equal(list.counts[PENDING_PERMIT], 2);
    close(first);
    pending_list_drop(&list);
    assert_int_equal(list.counts[PENDING_PERMIT], 1);
    assert_true(pending_list_take_permit(&list, &taken));
    assert_true(is_taken(second));
    close(second);
}

/* The network that used most is refused. */
static void a_full_list_refuses_the_last(void **state)
{
    int web_servers[PENDING_LIST_MOST];
    struct permit held = hold_all();
    const struct asker greedy = {.class = WORK_FILE, .network = permits_name(permits, "192.0.2.9")};
    (void)state;
    permits_charge(permits, &greedy, 1000000);
    for (size_t i = 0; i < COUNT(web_servers); i++)
        web_servers[i] = i == 5 ? arrive_from("192.0.2.9", PATIENCE) : arrive_for_permit(PATIENCE);
    assert_int_equal(list.counts[PENDING_PERMIT], PENDING_LIST_MOST);
    assert_true(pending_list_take_permit(&list, &taken));
    assert_int_equal(taken.permit.serial, 0);
    assert_true(is_taken(web_servers[5]));
    assert_false(pending_list_take_permit(&list, &taken));
    permits_give(permits, &held);
    for (size_t i = 0; i < COUNT(web_servers); i++)
        close(web_servers[i]);
}

/* A connection with an answer of so many bytes in the spool, for so many milliseconds. */
static int arrive_with_answer(size_t length, int64_t patience, int64_t age)
{
    int ends[2];
    int64_t now = clock_milliseconds();
    char *bytes = calloc(1, length);
    assert_non_null(bytes);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    struct pending pending = {.kind = PENDING_ANSWER,
                              .connection = ends[1],
                              .since = now - age,
                              .until = now + patience,
                              .patience = patience,
                              .output = {.connection = ends[1]}};
    assert_int_equal(spool_add(&fastcgi_spool, &pending.output.file, bytes, length), STATUS_OK);
    unit_log_begin();
    pending_list_add(&list, &pending);
    free(unit_log_end());
    free(bytes);
    return ends[0];
}

/* How many bytes there are now. */
static size_t read_some(int web_server, size_t most)
{
    char *bytes = malloc(most);
    assert_non_null(bytes);
    ssize_t got = recv(web_server, bytes, most, MSG_DONTWAIT);
    free(bytes);
    return got > 0 ? (size_t)got : 0;
}

static void an_answer_is_sent_as_it_is_taken(void **state)
{
    enum { LENGTH = 3000000 };
    int web_server = arrive_with_answer(LENGTH, PATIENCE, 0);
    size_t got = 0;
    (void)state;
    for (int i = 0; i < 10; i++)
        pending_list_send(&list);
    assert_int_equal(list.counts[PENDING_ANSWER], 1);
    while (got < LENGTH) {
        size_t more = read_some(web_server, 100000);
        assert_true(more > 0);
        got += more;
        pending_list_send(&list);
    }
    assert_int_equal(got, LENGTH);
    assert_true(pending_list_is_empty(&list));
    assert_true(is_closed(web_server));
    assert_int_equal(atomic_load(fastcgi_spool.all), 0);
    close(web_server);
}

/* It ends with what is no record, and not as if it were whole. */
static void who_takes_nothing_of_an_answer_is_cut(void **state)
{
    enum { LENGTH = 3000000 };
    int web_server = arrive_with_answer(LENGTH, 0, 0);
    size_t got = 0, more;
    (void)state;
    pending_list_send(&list);
    unit_log_begin();
    pending_list_expire(&list);
    free(unit_log_end());
    assert_true(pending_list_is_empty(&list));
    while ((more = read_some(web_server, LENGTH)) > 0)
        got += more;
    assert_true(got > 8192 && got < LENGTH);
    assert_true(is_closed(web_server));
    assert_int_equal(atomic_load(fastcgi_spool.all), 0);
    close(web_server);
}

/* Of those that have something there, and only where the spool is nearly full. */
static void the_slowest_makes_room_in_the_spool(void **state)
{
    int small = arrive(PATIENCE), coming = arrive(PATIENCE);
    int slow = arrive_with_answer(1000, PATIENCE, 100000);
    int fast = arrive_with_answer(1000, PATIENCE, 0);
    const int order[] = {slow, coming};
    (void)state;
    list.connections[1].since = clock_milliseconds() - 10000;
    assert_int_equal(spool_add(&fastcgi_spool, &list.connections[1].input.file, "x", 1), STATUS_OK);
    assert_true(pending_list_wants(&list) < 1000);
    pending_list_thin(&list);
    assert_int_equal(list.counts[PENDING_REQUEST] + list.counts[PENDING_ANSWER], 4);
    for (size_t i = 0; i < COUNT(order); i++) {
        long long room = SPOOL_MOST - SPOOL_MOST / 16 - atomic_load(fastcgi_spool.all);
        atomic_fetch_add(fastcgi_spool.all, room + 1);
        unit_log_begin();
        pending_list_thin(&list);
        free(unit_log_end());
        atomic_fetch_sub(fastcgi_spool.all, room + 1);
        while (read_some(order[i], 100000) > 0)
            continue;
        assert_true(is_closed(order[i]));
    }
    assert_false(is_closed(small));
    assert_false(is_closed(fast));
    close(small);
    close(coming);
    close(slow);
    close(fast);
}

/* An answer that is larger than the room that is left would be refused again and again, while the
 * spool is not nearly full. */
static void who_had_no_room_has_it_next_time(void **state)
{
    int slow = arrive_with_answer(1000, PATIENCE, 100000);
    int fast = arrive_with_answer(1000, PATIENCE, 0);
    struct spool_file file = {0};
    long long half = SPOOL_MOST / 2;
    (void)state;
    atomic_fetch_add(fastcgi_spool.all, half);
    unit_log_begin();
    assert_int_equal(spool_add(&fastcgi_spool, &file, "", SPOOL_MOST), STATUS_UNAVAILABLE);
    pending_list_thin(&list);
    pending_list_thin(&list);
    free(unit_log_end());
    atomic_fetch_sub(fastcgi_spool.all, half);
    while (read_some(slow, 100000) > 0)
        continue;
    assert_true(is_closed(slow));
    assert_false(is_closed(fast));
    close(slow);
    close(fast);
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
        cmocka_unit_test_setup_teardown(who_goes_on_sending_has_more_time, make, drop),
        cmocka_unit_test_setup_teardown(the_slowest_makes_room, make, drop),
        cmocka_unit_test_setup_teardown(the_oldest_makes_room, make, drop),
        cmocka_unit_test_setup_teardown(a_permit_goes_to_the_first, make, drop),
        cmocka_unit_test_setup_teardown(a_late_request_is_taken_without_a_permit, make, drop),
        cmocka_unit_test_setup_teardown(a_closed_connection_waits_for_no_permit, make, drop),
        cmocka_unit_test_setup_teardown(a_full_list_refuses_the_last, make, drop),
        cmocka_unit_test_setup_teardown(an_answer_is_sent_as_it_is_taken, make, drop),
        cmocka_unit_test_setup_teardown(who_takes_nothing_of_an_answer_is_cut, make, drop),
        cmocka_unit_test_setup_teardown(the_slowest_makes_room_in_the_spool, make, drop),
        cmocka_unit_test_setup_teardown(who_had_no_room_has_it_next_time, make, drop),
    };
    return RUN_TESTS(tests);
}
