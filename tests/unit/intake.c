#include "web/intake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

/* A literal with its length, as there are NULs in it. */
#define BYTES(literal) literal, sizeof(literal) - 1

/* Records: the version, a type, the request 7, a length, and padding. */
#define HEADER(type, length) "\1" type "\0\7\0" length "\0\0"
#define BEGIN HEADER("\1", "\10") "\0\1\0\0\0\0\0\0"
#define PARAMS(length, content) HEADER("\4", length) content
#define STDIN(length, content) HEADER("\5", length) content
#define NO_MORE_PARAMS PARAMS("\0", "")
#define NO_MORE_STDIN STDIN("\0", "")
#define VARIABLE PARAMS("\5", "\1\2A12")
#define BODY STDIN("\3", "a=1")
#define REQUEST BEGIN VARIABLE NO_MORE_PARAMS BODY NO_MORE_STDIN

static struct intake intake;

/* Sends the bytes as fast as they are taken, and then no more. */
static enum status read_all(const int ends[static 2], const char *bytes, size_t length)
{
    enum status status = STATUS_OK;
    for (size_t sent = 0; status == STATUS_OK && !intake_is_whole(&intake);) {
        ssize_t more = send(ends[0], bytes + sent, length - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        sent += more > 0 ? (size_t)more : 0;
        if (sent == length)
            shutdown(ends[0], SHUT_WR);
        status = intake_read(&intake, ends[1]);
    }
    return status;
}

static enum status take(const char *bytes, size_t length)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    intake_reset(&intake);
    unit_log_begin();
    enum status status = read_all(ends, bytes, length);
    char *log = unit_log_end();
    expect_integer(log, *log != '\0', status != STATUS_OK);
    free(log);
    close(ends[0]);
    close(ends[1]);
    return status;
}

static int drop(void **state)
{
    (void)state;
    intake_free(&intake);
    intake = (struct intake){0};
    return 0;
}

static void expect_bytes(const struct buffer *got, const char *want, size_t length)
{
    assert_int_equal(got->length, length);
    assert_memory_equal(got->data, want, length);
}

static void whole_requests(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *variables;
        size_t variables_length;
        const char *body;
    } rows[] = {
        {BYTES(REQUEST), BYTES("A=12\0"), "a=1"},
        {BYTES(BEGIN NO_MORE_PARAMS NO_MORE_STDIN), BYTES(""), ""},
        {BYTES(BEGIN VARIABLE NO_MORE_PARAMS STDIN("\1", "a") BODY NO_MORE_STDIN), BYTES("A=12\0"),
         "aa=1"},
        /* What comes after it is not looked at. */
        {BYTES(REQUEST REQUEST "\377"), BYTES("A=12\0"), "a=1"},
        /* A pair that goes on in the next record becomes whole. */
        {BYTES(BEGIN PARAMS("\2", "\1\2") PARAMS("\3", "A12") NO_MORE_PARAMS NO_MORE_STDIN),
         BYTES("A=12\0"), ""},
        /* A length of four bytes where one would do, an empty value, an empty name. */
        {BYTES(BEGIN PARAMS("\10", "\200\0\0\1\2A12") NO_MORE_PARAMS NO_MORE_STDIN),
         BYTES("A=12\0"), ""},
        {BYTES(BEGIN PARAMS("\6", "\1\0A\0\1x") NO_MORE_PARAMS NO_MORE_STDIN), BYTES("A=\0=x\0"),
         ""},
        /* Lengths of either kind in turn. */
        {BYTES(BEGIN PARAMS("\20", "\1\2A12\200\0\0\2\200\0\0\1BCx") NO_MORE_PARAMS NO_MORE_STDIN),
         BYTES("A=12\0BC=x\0"), ""},
        /* Padding, reserved bytes and the flag that asks to keep the connection go. */
        {BYTES("\1\1\0\7\0\10\2\377"
               "\0\1\1\377\377\377\377\377"
               "xx"
               "\1\4\0\7\0\0\3\0"
               "xxx" NO_MORE_STDIN),
         BYTES(""), ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        expect_integer(rows[i].body, take(rows[i].bytes, rows[i].length), STATUS_OK);
        expect_bytes(&intake.variables, rows[i].variables, rows[i].variables_length);
        expect_text("", intake.body.data, rows[i].body);
        assert_int_equal(intake.body_length, strlen(rows[i].body));
    }
}

static void refusals(void **state)
{
    static const struct {
        const char *name, *bytes;
        size_t length;
    } rows[] = {
        {"version", BYTES("\2\1\0\7\0\10\0\0\0\1\0\0\0\0\0\0")},
        {"version later", BYTES(BEGIN "\0\4\0\7\0\0\0\0")},
        {"HTTP", BYTES("GET / HTTP/1.0\r\n\r\n")},
        {"no begin", BYTES(NO_MORE_PARAMS)},
        {"body first", BYTES(BEGIN BODY)},
        {"second begin", BYTES(BEGIN BEGIN)},
        {"begin within the body", BYTES(BEGIN NO_MORE_PARAMS BEGIN)},
        {"variables within the body", BYTES(BEGIN NO_MORE_PARAMS VARIABLE)},
        {"unknown type", BYTES("\1\14\0\7\0\0\0\0")},
        {"a filter", BYTES(HEADER("\1", "\10") "\0\3\0\0\0\0\0\0")},
        {"an authorizer", BYTES(HEADER("\1", "\10") "\0\2\0\0\0\0\0\0")},
        {"request 0", BYTES("\1\1\0\0\0\10\0\0\0\1\0\0\0\0\0\0")},
        {"short begin", BYTES(HEADER("\1", "\7") "\0\1\0\0\0\0\0")},
        {"long begin", BYTES(HEADER("\1", "\11") "\0\1\0\0\0\0\0\0\0")},
        {"another request", BYTES(BEGIN "\1\4\0\10\0\0\0\0")},
        {"another request's body", BYTES(BEGIN NO_MORE_PARAMS "\1\5\0\10\0\0\0\0")},
        {"abort first", BYTES(HEADER("\2", "\0"))},
        {"abort in the variables", BYTES(BEGIN HEADER("\2", "\0"))},
        {"abort in the body", BYTES(BEGIN NO_MORE_PARAMS BODY HEADER("\2", "\0"))},
        {"FCGI_GET_VALUES", BYTES("\1\11\0\0\0\0\0\0")},
        {"FCGI_GET_VALUES in the variables", BYTES(BEGIN "\1\11\0\0\0\0\0\0")},
        {"FCGI_GET_VALUES in the body", BYTES(BEGIN NO_MORE_PARAMS "\1\11\0\0\0\0\0\0")},
        {"pair cut in a length", BYTES(BEGIN PARAMS("\1", "\1") NO_MORE_PARAMS)},
        {"pair cut in a long length", BYTES(BEGIN PARAMS("\3", "\200\0\0") NO_MORE_PARAMS)},
        {"pair cut in its name", BYTES(BEGIN PARAMS("\3", "\2\1A") NO_MORE_PARAMS)},
        {"pair cut in its value", BYTES(BEGIN PARAMS("\4", "\1\2A1") NO_MORE_PARAMS)},
        {"greatest lengths",
         BYTES(BEGIN PARAMS("\12", "\377\377\377\377\377\377\377\377AB") NO_MORE_PARAMS)},
        {"lengths that overflow",
         BYTES(BEGIN PARAMS("\12", "\300\0\0\0\300\0\0\0AB") NO_MORE_PARAMS)},
        {"NUL in a name", BYTES(BEGIN PARAMS("\4", "\2\0A\0") NO_MORE_PARAMS)},
        {"NUL in a value", BYTES(BEGIN PARAMS("\4", "\1\1A\0") NO_MORE_PARAMS)},
        {"= in a name", BYTES(BEGIN PARAMS("\4", "\2\0A=") NO_MORE_PARAMS)},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_integer(rows[i].name, take(rows[i].bytes, rows[i].length), STATUS_MALFORMED_REQUEST);
}

static void cut_short_at_every_byte(void **state)
{
    static const char request[] = REQUEST;
    (void)state;
    for (size_t length = 0; length < sizeof request - 1; length++)
        assert_int_equal(take(request, length), STATUS_UNAVAILABLE);
    assert_int_equal(take(request, sizeof request - 1), STATUS_OK);
}

static void move_to_another_process(void)
{
    int file = intake_save(&intake);
    assert_true(file >= 0);
    intake_free(&intake);
    assert_true(intake_load(&intake, file));
    close(file);
}

/* However the kernel hands the bytes over, and where it has none for the moment; and whoever goes
 * on with them. */
static void byte_by_byte(void **state)
{
    static const char request[] = REQUEST;
    int ends[2];
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    intake_reset(&intake);
    for (size_t i = 0; i < sizeof request - 1; i++) {
        assert_int_equal(intake_read(&intake, ends[1]), STATUS_OK);
        assert_false(intake_is_whole(&intake));
        move_to_another_process();
        assert_int_equal(send(ends[0], request + i, 1, 0), 1);
        assert_int_equal(intake_read(&intake, ends[1]), STATUS_OK);
    }
    assert_true(intake_is_whole(&intake));
    expect_bytes(&intake.variables, BYTES("A=12\0"));
    assert_string_equal(intake.body.data, "a=1");
    close(ends[0]);
    close(ends[1]);
}

/* Records of a stream, all of the same byte, and its end. */
static void add_stream(struct buffer *out, char type, size_t length)
{
    const size_t most = 65535;
    for (;;) {
        size_t part = length < most ? length : most;
        const char header[] = {1, type, 0, 7, (char)(part >> 8), (char)part, 0, 0};
        buffer_add(out, header, sizeof header);
        memset(buffer_room(out, part), 'x', part);
        out->length += part;
        length -= part;
        if (part == 0)
            return;
    }
}

static void bodies_are_read_to_their_end(void **state)
{
    static const size_t rows[] = {1, 65535, 65536, INTAKE_BODY_MOST, INTAKE_BODY_MOST + 1, 9000000};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer bytes = {0};
        buffer_add(&bytes, BYTES(BEGIN NO_MORE_PARAMS));
        add_stream(&bytes, 5, rows[i]);
        assert_int_equal(take(bytes.data, bytes.length), STATUS_OK);
        assert_int_equal(intake.body_length, rows[i]);
        size_t kept = rows[i] < INTAKE_BODY_MOST ? rows[i] : INTAKE_BODY_MOST;
        assert_int_equal(intake.body.length, kept);
        assert_int_equal(strlen(intake.body.data), kept);
        assert_true(intake.received.capacity <= 131072);
        buffer_free(&bytes);
    }
}

/* One variable of so many bytes with its name and lengths. */
static enum status take_variable(size_t length)
{
    const size_t value = length - 6;
    struct buffer bytes = {0};
    const char lengths[] = {1, (char)(value >> 24 | 0x80), (char)(value >> 16), (char)(value >> 8),
                            (char)value};
    buffer_add(&bytes, BYTES(BEGIN));
    size_t at = bytes.length + 8;
    add_stream(&bytes, 4, length);
    memcpy(bytes.data + at, lengths, sizeof lengths);
    buffer_add(&bytes, BYTES(NO_MORE_STDIN));
    enum status status = take(bytes.data, bytes.length);
    buffer_free(&bytes);
    return status;
}

static void variables_are_bounded(void **state)
{
    (void)state;
    assert_int_equal(take_variable(1000), STATUS_OK);
    assert_int_equal(take_variable(65535), STATUS_OK);
    assert_int_equal(take_variable(INTAKE_VARIABLES_MOST), STATUS_OK);
    /* Its lengths take five bytes, and what is put between and after takes two. */
    assert_int_equal(intake.variables.length, INTAKE_VARIABLES_MOST - 3);
    assert_int_equal(strlen(intake.variables.data), INTAKE_VARIABLES_MOST - 4);
    assert_memory_equal(intake.variables.data, "x=xx", 4);
    assert_int_equal(take_variable(INTAKE_VARIABLES_MOST + 1), STATUS_REQUEST_TOO_LARGE);
    assert_int_equal(take_variable(50000000), STATUS_REQUEST_TOO_LARGE);
    assert_true(intake.variables.capacity <= INTAKE_VARIABLES_MOST);
}

static void a_reset_keeps_little(void **state)
{
    struct buffer bytes = {0};
    (void)state;
    buffer_add(&bytes, BYTES(BEGIN NO_MORE_PARAMS));
    add_stream(&bytes, 5, INTAKE_BODY_MOST);
    assert_int_equal(take(bytes.data, bytes.length), STATUS_OK);
    intake_reset(&intake);
    assert_int_equal(intake.body_length, 0);
    assert_int_equal(intake.body.capacity, 0);
    assert_int_equal(take(BYTES(REQUEST)), STATUS_OK);
    assert_string_equal(intake.body.data, "a=1");
    buffer_free(&bytes);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(whole_requests, drop),
        cmocka_unit_test_teardown(refusals, drop),
        cmocka_unit_test_teardown(cut_short_at_every_byte, drop),
        cmocka_unit_test_teardown(byte_by_byte, drop),
        cmocka_unit_test_teardown(bodies_are_read_to_their_end, drop),
        cmocka_unit_test_teardown(variables_are_bounded, drop),
        cmocka_unit_test_teardown(a_reset_keeps_little, drop),
    };
    return RUN_TESTS(tests);
}
