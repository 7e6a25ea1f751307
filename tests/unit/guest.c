#include "pool/guest.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

enum { SENDER, RECEIVER, UNTIL = 123456789 };

static int door[2];

static int make(void **state)
{
    (void)state;
    return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, door);
}

static int drop(void **state)
{
    (void)state;
    close(door[SENDER]);
    close(door[RECEIVER]);
    return 0;
}

/* As guest_send(), without its log. */
static bool pass(const struct guest *guest)
{
    unit_log_begin();
    bool sent = guest_send(door[SENDER], guest, MSG_DONTWAIT);
    free(unit_log_end());
    return sent;
}

static void assert_buffer(const struct buffer *got, const struct buffer *want)
{
    assert_int_equal(got->length, want->length);
    assert_int_equal(got->data[got->length], '\0');
    if (want->length > 0)
        assert_memory_equal(got->data, want->data, want->length);
}

static void all_of_it_arrives(void **state)
{
    int ends[2];
    struct guest sent = {.until = UNTIL, .intake = {.phase = 2, .request_id = 7}};
    struct guest received = {.connection = -1};
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    sent.connection = ends[0];
    buffer_add_text(&sent.intake.variables, "variables");
    buffer_add_text(&sent.intake.received, "received");
    memset(buffer_room(&sent.intake.body, INTAKE_BODY_MOST), 'x', INTAKE_BODY_MOST);
    sent.intake.body.length = INTAKE_BODY_MOST;
    sent.intake.body_length = INTAKE_BODY_MOST + 1;
    buffer_add_text(&received.intake.variables, "what was there before");

    assert_true(pass(&sent));
    assert_int_equal(guest_receive(door[RECEIVER], &received, 0), GUEST_CAME);
    assert_int_equal(received.until, UNTIL);
    assert_int_equal(received.intake.phase, 2);
    assert_int_equal(received.intake.request_id, 7);
    assert_int_equal(received.intake.body_length, INTAKE_BODY_MOST + 1);
    assert_buffer(&received.intake.received, &sent.intake.received);
    assert_buffer(&received.intake.body, &sent.intake.body);
    assert_buffer(&received.intake.variables, &sent.intake.variables);

    guest_dismiss(&sent);
    assert_int_equal(write(received.connection, "x", 1), 1);
    char byte = 0;
    assert_int_equal(read(ends[1], &byte, 1), 1);
    guest_dismiss(&received);
    assert_int_equal(read(ends[1], &byte, 1), 0);
    close(ends[1]);
}

static void nobody_comes(void **state)
{
    struct guest guest = {.connection = -1};
    (void)state;
    assert_int_equal(guest_receive(door[RECEIVER], &guest, MSG_DONTWAIT), GUEST_NONE);
    shutdown(door[SENDER], SHUT_RDWR);
    assert_int_equal(guest_receive(door[RECEIVER], &guest, 0), GUEST_NO_MORE);
}

static void there_is_no_room(void **state)
{
    struct guest guest = {.connection = STDERR_FILENO};
    size_t count = 0;
    (void)state;
    while (pass(&guest))
        count++;
    assert_in_range(count, 1, 10000);
    shutdown(door[RECEIVER], SHUT_RDWR);
    assert_false(pass(&guest));
}

static void what_is_no_guest_is_dropped(void **state)
{
    struct guest guest = {.connection = -1};
    (void)state;
    assert_int_equal(write(door[SENDER], "nonsense", 8), 8);
    unit_log_begin();
    enum guest_arrival arrival = guest_receive(door[RECEIVER], &guest, 0);
    char *log = unit_log_end();
    assert_int_equal(arrival, GUEST_NONE);
    assert_non_null(strstr(log, "lost on its way"));
    assert_int_equal(guest.connection, -1);
    free(log);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_of_it_arrives, make, drop),
        cmocka_unit_test_setup_teardown(nobody_comes, make, drop),
        cmocka_unit_test_setup_teardown(there_is_no_room, make, drop),
        cmocka_unit_test_setup_teardown(what_is_no_guest_is_dropped, make, drop),
    };
    return RUN_TESTS(tests);
}
