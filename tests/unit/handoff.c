#include "serve/handoff.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fastcgi.h"
#include "unit.h"

enum { SENDER, RECEIVER, UNTIL = 123456789 };

static int sockets[2];

static int make(void **state)
{
    (void)state;
    return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets);
}

static int drop(void **state)
{
    (void)state;
    close(sockets[SENDER]);
    close(sockets[RECEIVER]);
    return 0;
}

/* As handoff_send(), without its log. */
static bool pass(struct pending *pending)
{
    unit_log_begin();
    bool sent = handoff_send(sockets[SENDER], pending, &fastcgi_spool, MSG_DONTWAIT);
    free(unit_log_end());
    return sent;
}

static enum handoff_arrival receive(struct pending *pending, int flags)
{
    return handoff_receive(sockets[RECEIVER], pending, &fastcgi_spool, flags);
}

static void close_pending(struct pending *pending)
{
    pending_close(pending, &fastcgi_spool);
}

static void connect_it(struct pending *pending, int *web_server)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pending->connection = ends[0];
    *web_server = ends[1];
}

static void expect_connection(struct pending *received, int web_server)
{
    char byte = 0;
    assert_int_equal(write(received->connection, "x", 1), 1);
    assert_int_equal(read(web_server, &byte, 1), 1);
    close_pending(received);
    assert_int_equal(read(web_server, &byte, 1), 0);
    close(web_server);
}

static void all_of_it_arrives(void **state)
{
    int web_server;
    struct pending sent = {.until = UNTIL,
                           .input = {.phase = 2, .request_id = 7, .body_length = 3}};
    struct pending received = {.connection = -1};
    (void)state;
    connect_it(&sent, &web_server);
    buffer_add_text(&sent.input.records, "records");
    buffer_add_text(&received.input.records, "what was there before");

    assert_true(pass(&sent));
    assert_int_equal(sent.connection, -1);
    assert_int_equal(receive(&received, 0), HANDOFF_CAME);
    assert_int_equal(received.until, UNTIL);
    assert_int_equal(received.input.phase, 2);
    assert_int_equal(received.input.request_id, 7);
    assert_int_equal(received.input.body_length, 3);
    assert_int_equal(received.input.records.length, 7);
    assert_memory_equal(received.input.records.data, "records", 7);
    expect_connection(&received, web_server);
}

/* What was spooled goes by its descriptor, and counts for who has it. */
static void a_file_arrives(void **state)
{
    enum { LENGTH = 70000 };
    static const char bytes[LENGTH] = "all of it";
    int web_server;
    char got[16] = "";
    struct pending sent = {.until = UNTIL}, received = {.connection = -1};
    (void)state;
    connect_it(&sent, &web_server);
    assert_int_equal(spool_add(&fastcgi_spool, &sent.input.file, bytes, LENGTH), STATUS_OK);
    buffer_add_text(&sent.input.records, "and the rest");

    assert_true(pass(&sent));
    assert_false(sent.input.file.is_open);
    assert_int_equal(atomic_load(fastcgi_spool.own), 0);
    assert_int_equal(atomic_load(fastcgi_spool.all), LENGTH + 12);
    assert_int_equal(receive(&received, 0), HANDOFF_CAME);
    assert_int_equal(atomic_load(fastcgi_spool.own), LENGTH + 12);
    assert_int_equal(received.input.records.length, 0);
    assert_int_equal(pread(received.input.file.descriptor, got, 9, 0), 9);
    assert_string_equal(got, "all of it");
    assert_int_equal(pread(received.input.file.descriptor, got, 13, LENGTH), 12);
    assert_memory_equal(got, "and the rest", 12);
    expect_connection(&received, web_server);
    assert_int_equal(atomic_load(fastcgi_spool.own), 0);
    assert_int_equal(atomic_load(fastcgi_spool.all), 0);
}

/* A granted permit goes along with the request. */
static void a_permit_arrives(void **state)
{
    int web_server;
    struct pending sent = {.kind = PENDING_PERMIT, .permit = {3, 7}, .asker = {.network = 5}};
    struct pending received = {.connection = -1};
    (void)state;
    connect_it(&sent, &web_server);
    buffer_add_text(&sent.input.records, "records");
    assert_true(pass(&sent));
    assert_int_equal(sent.permit.serial, 0);
    assert_int_equal(receive(&received, 0), HANDOFF_CAME);
    assert_int_equal(received.kind, PENDING_PERMIT);
    assert_int_equal(received.permit.slot, 3);
    assert_int_equal(received.permit.serial, 7);
    assert_int_equal(received.asker.network, 5);
    assert_int_equal(received.input.records.length, 7);
    expect_connection(&received, web_server);
}

static void nobody_comes(void **state)
{
    struct pending pending = {.connection = -1};
    (void)state;
    assert_int_equal(receive(&pending, MSG_DONTWAIT), HANDOFF_NONE);
    shutdown(sockets[SENDER], SHUT_RDWR);
    assert_int_equal(receive(&pending, 0), HANDOFF_NO_MORE);
}

static void there_is_no_room(void **state)
{
    struct pending pending = {.connection = dup(STDERR_FILENO)};
    size_t count = 0;
    (void)state;
    while (pass(&pending)) {
        pending.connection = dup(STDERR_FILENO);
        count++;
    }
    assert_in_range(count, 1, 10000);
    assert_true(pending.connection >= 0);
    shutdown(sockets[RECEIVER], SHUT_RDWR);
    assert_false(pass(&pending));
    close_pending(&pending);
}

static void what_is_no_handoff_is_dropped(void **state)
{
    struct pending pending = {.connection = -1};
    (void)state;
    assert_int_equal(write(sockets[SENDER], "nonsense", 8), 8);
    unit_log_begin();
    enum handoff_arrival arrival = receive(&pending, 0);
    char *log = unit_log_end();
    assert_int_equal(arrival, HANDOFF_NONE);
    assert_non_null(strstr(log, "lost on its way"));
    assert_int_equal(pending.connection, -1);
    free(log);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_of_it_arrives, make, drop),
        cmocka_unit_test_setup_teardown(a_file_arrives, make, drop),
        cmocka_unit_test_setup_teardown(a_permit_arrives, make, drop),
        cmocka_unit_test_setup_teardown(nobody_comes, make, drop),
        cmocka_unit_test_setup_teardown(there_is_no_room, make, drop),
        cmocka_unit_test_setup_teardown(what_is_no_handoff_is_dropped, make, drop),
    };
    return RUN_TESTS(tests);
}
