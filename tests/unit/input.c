#include "fcgi/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fastcgi.h"
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

enum { BODY_MOST = 1048576 };

static const struct input_options options = {&fastcgi_spool, BODY_MOST};
static struct input input;

/* Sends the bytes as fast as they are taken, and then no more. */
static enum status read_all(const int ends[static 2], const char *bytes, size_t length)
{
    enum status status = STATUS_OK;
    for (size_t sent = 0; status == STATUS_OK && !input_is_whole(&input);) {
        ssize_t more = send(ends[0], bytes + sent, length - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        sent += more > 0 ? (size_t)more : 0;
        if (sent == length)
            shutdown(ends[0], SHUT_WR);
        status = input_read(&input, ends[1], &options);
    }
    return status;
}

static enum status take(const char *bytes, size_t length)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    input_reset(&input, &fastcgi_spool);
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
    input_free(&input, &fastcgi_spool);
    return 0;
}

/* What is kept, from memory or from the file. */
static void expect_records(const char *name, const char *want, size_t length)
{
    bool is_file = input.file.is_open;
    size_t got = is_file ? (size_t)input.file.length : input.records.length;
    char *bytes = malloc(length + 1);
    assert_non_null(bytes);
    expect_integer(name, (long long)got, (long long)length);
    if (is_file)
        assert_int_equal(pread(input.file.descriptor, bytes, length, 0), length);
    expect_integer(name, memcmp(is_file ? bytes : input.records.data, want, length), 0);
    free(bytes);
}

#define PIECE(content) PARAMS("\1", content)

static void whole_requests(void **state)
{
    static const struct {
        const char *name;
        const char *bytes;
        size_t length;
        const char *records; /* NULL: as they came */
        size_t records_length, body_length;
    } rows[] = {
        {"usual", BYTES(REQUEST), NULL, 0, 3},
        {"least", BYTES(BEGIN NO_MORE_PARAMS NO_MORE_STDIN), NULL, 0, 0},
        {"body in parts", BYTES(BEGIN VARIABLE NO_MORE_PARAMS STDIN("\1", "a") BODY NO_MORE_STDIN),
         NULL, 0, 4},
        {"what comes after it is not looked at", BYTES(REQUEST REQUEST "\377"), BYTES(REQUEST), 3},
        {"a pair that goes on in the next record",
         BYTES(BEGIN PARAMS("\2", "\1\2") PARAMS("\3", "A12") NO_MORE_PARAMS NO_MORE_STDIN), NULL,
         0, 0},
        {"long lengths that do",
         BYTES(BEGIN PIECE("\200") PIECE("\0") PIECE("\0") PIECE("\1") PIECE("\200") PIECE("\0")
                   PIECE("\0") PIECE("\1") PIECE("A") PIECE("x") NO_MORE_PARAMS NO_MORE_STDIN),
         NULL, 0, 0},
        {"a long length where a byte would do",
         BYTES(BEGIN PARAMS("\10", "\200\0\0\1\2A12") NO_MORE_PARAMS NO_MORE_STDIN), NULL, 0, 0},
        {"an empty value, and an empty name",
         BYTES(BEGIN PARAMS("\6", "\1\0A\0\1x") NO_MORE_PARAMS NO_MORE_STDIN), NULL, 0, 0},
        {"nothing and nothing", BYTES(BEGIN PARAMS("\4", "\0\0\0\0") NO_MORE_PARAMS NO_MORE_STDIN),
         NULL, 0, 0},
        {"lengths of either kind in turn",
         BYTES(BEGIN PARAMS("\20", "\1\2A12\200\0\0\2\200\0\0\1BCx") NO_MORE_PARAMS NO_MORE_STDIN),
         NULL, 0, 0},
        {"padding goes; reserved bytes and flags stay",
         BYTES("\1\1\0\7\0\10\2\377"
               "\0\1\1\377\377\377\377\377"
               "xx"
               "\1\4\0\7\0\0\3\0"
               "xxx" NO_MORE_STDIN),
         BYTES("\1\1\0\7\0\10\0\377"
               "\0\1\1\377\377\377\377\377"
               "\1\4\0\7\0\0\0\0" NO_MORE_STDIN),
         0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *want = rows[i].records != NULL ? rows[i].records : rows[i].bytes;
        size_t length = rows[i].records != NULL ? rows[i].records_length : rows[i].length;
        expect_integer(rows[i].name, take(rows[i].bytes, rows[i].length), STATUS_OK);
        expect_records(rows[i].name, want, length);
        expect_integer(rows[i].name, (long long)input.body_length, (long long)rows[i].body_length);
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
    assert_true(input_settle(&input, &fastcgi_spool));
    struct input copy = input;
    int file = input.file.is_open ? dup(input.file.descriptor) : -1;
    char *records = malloc(input.records.length + 1);
    if (input.records.length > 0)
        memcpy(records, input.records.data, input.records.length);
    if (input.file.is_open)
        spool_send(&fastcgi_spool, &input.file);
    input_free(&input, &fastcgi_spool);
    input = copy;
    input_adopt(&input, &fastcgi_spool, file, records);
    free(records);
}

/* However the kernel hands the bytes over, and where it has none for the moment; and whoever goes
 * on with them. */
static void byte_by_byte(void **state)
{
    static const char request[] = REQUEST;
    int ends[2];
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    input_reset(&input, &fastcgi_spool);
    for (size_t i = 0; i < sizeof request - 1; i++) {
        assert_int_equal(input_read(&input, ends[1], &options), STATUS_OK);
        assert_false(input_is_whole(&input));
        move_to_another_process();
        assert_int_equal(send(ends[0], request + i, 1, 0), 1);
        assert_int_equal(input_read(&input, ends[1], &options), STATUS_OK);
    }
    assert_true(input_is_whole(&input));
    expect_records("all", BYTES(REQUEST));
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

/* In whole records, of which those beyond what a body may have are dropped. */
static void bodies_are_read_to_their_end(void **state)
{
    static const struct {
        size_t length;
        bool is_spooled;
    } rows[] = {{1, false},        {65000, false},        {65535, true},  {65536, true},
                {BODY_MOST, true}, {BODY_MOST + 1, true}, {9000000, true}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer bytes = {0};
        buffer_add(&bytes, BYTES(BEGIN NO_MORE_PARAMS));
        size_t kept = bytes.length;
        add_stream(&bytes, 5, rows[i].length);
        for (size_t left = rows[i].length, all = 0; left > 0 && all <= BODY_MOST;) {
            size_t part = left < 65535 ? left : 65535;
            all += part;
            left -= part;
            kept += all <= BODY_MOST ? part + 8 : 0;
        }
        assert_int_equal(take(bytes.data, bytes.length), STATUS_OK);
        assert_int_equal(input.body_length, rows[i].length);
        assert_int_equal(input.file.is_open, rows[i].is_spooled);
        memcpy(bytes.data + kept, BYTES(NO_MORE_STDIN));
        expect_records("body", bytes.data, kept + 8);
        buffer_free(&bytes);
    }
    input_reset(&input, &fastcgi_spool);
    assert_int_equal(atomic_load(fastcgi_spool.all), 0);
}

/* Of a body that says that it is longer than what is kept, nothing is; by no other variable. */
static void a_body_that_is_too_long_by_its_length(void **state)
{
    static const struct {
        const char *variable;
        size_t length;
        bool is_cut;
    } rows[] = {
        {BYTES("\16\7CONTENT_LENGTH1048577"), true},
        {BYTES("\16\7CONTENT_LENGTH1048576"), false},
        {BYTES("\16\1CONTENT_LENGTH3"), false},
        {BYTES("\16\50CONTENT_LENGTH9999999999999999999999999999999999999999"), true},
        {BYTES("\17\7CONTENT_LENGTHS1048577"), false},
        {BYTES("\15\7CONTENT_LENGT1048577"), false},
        {BYTES("\16\7CONTENT_LENGTX1048577"), false},
        {BYTES("\16\7XONTENT_LENGTH1048577"), false},
        {BYTES("\16\7CONTENT_LENGTH1048577\1\1A1"), true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer bytes = {0};
        buffer_add(&bytes, BYTES(BEGIN));
        for (size_t at = 0; at < rows[i].length; at++) { /* a record each */
            buffer_add(&bytes, BYTES(HEADER("\4", "\1")));
            buffer_add(&bytes, rows[i].variable + at, 1);
        }
        buffer_add(&bytes, BYTES(NO_MORE_PARAMS));
        size_t kept = bytes.length;
        buffer_add(&bytes, BYTES(BODY NO_MORE_STDIN));
        assert_int_equal(take(bytes.data, bytes.length), STATUS_OK);
        expect_integer(rows[i].variable, input_is_cut(&input), rows[i].is_cut);
        assert_int_equal(input.body_length, 3);
        if (rows[i].is_cut)
            memcpy(bytes.data + kept, BYTES(NO_MORE_STDIN));
        expect_records(rows[i].variable, bytes.data, rows[i].is_cut ? kept + 8 : bytes.length);
        buffer_free(&bytes);
    }
}

static void a_spool_that_is_full(void **state)
{
    struct buffer bytes = {0};
    (void)state;
    buffer_add(&bytes, BYTES(BEGIN NO_MORE_PARAMS));
    add_stream(&bytes, 5, 200000);
    atomic_store(fastcgi_spool.all, SPOOL_MOST - 100000);
    assert_int_equal(take(bytes.data, bytes.length), STATUS_UNAVAILABLE);
    assert_int_equal(take(BYTES(REQUEST)), STATUS_OK);
    assert_int_equal(atomic_exchange(fastcgi_spool.all, 0), SPOOL_MOST - 100000);
    buffer_free(&bytes);
}

static void a_spool_that_is_not_there(void **state)
{
    struct spool nowhere = fastcgi_spool;
    struct spool_file file = {0};
    (void)state;
    nowhere.directory = "/nowhere";
    unit_log_begin();
    enum status status = spool_add(&nowhere, &file, "x", 1);
    char *log = unit_log_end();
    assert_int_equal(status, STATUS_UNAVAILABLE);
    assert_non_null(strstr(log, "/nowhere: No such file"));
    assert_false(spool_check("/nowhere"));
    assert_true(spool_check("/tmp"));
    free(log);
}

/* A file that moves on between processes. */
static void a_body_of_many_processes(void **state)
{
    struct buffer bytes = {0};
    int ends[2];
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    buffer_add(&bytes, BYTES(BEGIN NO_MORE_PARAMS));
    add_stream(&bytes, 5, 300000);
    input_reset(&input, &fastcgi_spool);
    for (size_t at = 0; at < bytes.length; at += 10000) {
        size_t left = bytes.length - at, part = left < 10000 ? left : 10000;
        assert_int_equal(send(ends[0], bytes.data + at, part, 0), part);
        assert_int_equal(input_read(&input, ends[1], &options), STATUS_OK);
        move_to_another_process();
    }
    assert_true(input_is_whole(&input));
    expect_records("moved", bytes.data, bytes.length);
    buffer_free(&bytes);
    close(ends[0]);
    close(ends[1]);
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
    assert_int_equal(take_variable(INPUT_VARIABLES_MOST), STATUS_OK);
    assert_int_equal(take_variable(INPUT_VARIABLES_MOST + 1), STATUS_REQUEST_TOO_LARGE);
    assert_int_equal(take_variable(50000000), STATUS_REQUEST_TOO_LARGE);
    assert_true(input.file.length <= 2 * INPUT_VARIABLES_MOST);
}

static void a_reset_keeps_little(void **state)
{
    struct buffer bytes = {0};
    (void)state;
    buffer_add(&bytes, BYTES(BEGIN NO_MORE_PARAMS));
    add_stream(&bytes, 5, BODY_MOST);
    assert_int_equal(take(bytes.data, bytes.length), STATUS_OK);
    input_reset(&input, &fastcgi_spool);
    assert_int_equal(input.body_length, 0);
    assert_true(input.records.capacity <= INPUT_MEMORY_MOST);
    assert_false(input.file.is_open);
    assert_int_equal(take(BYTES(REQUEST)), STATUS_OK);
    expect_records("again", BYTES(REQUEST));
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
        cmocka_unit_test_teardown(a_body_that_is_too_long_by_its_length, drop),
        cmocka_unit_test_teardown(a_spool_that_is_full, drop),
        cmocka_unit_test_teardown(a_spool_that_is_not_there, drop),
        cmocka_unit_test_teardown(a_body_of_many_processes, drop),
        cmocka_unit_test_teardown(variables_are_bounded, drop),
        cmocka_unit_test_teardown(a_reset_keeps_little, drop),
    };
    return RUN_TESTS(tests);
}
