#include "http/response.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastcgi.h"
#include "unit.h"

static const char *const variables[] = {"REQUEST_METHOD=GET", NULL};
static const struct conversation ordinary = {.variables = variables};

static struct response response;
static struct progress progress;

static void begin(const struct conversation *conversation)
{
    progress_enter(&progress, STAGE_WORKING);
    struct responder *responder = fastcgi_begin(conversation);
    assert_true(responder_turn(responder));
    response_reset(&response, responder, &progress);
}

static int drop(void **state)
{
    (void)state;
    response_free(&response);
    return 0;
}

static void expect_output(const char *want)
{
    struct taken taken = fastcgi_end();
    assert_true(taken.ended);
    expect_text(want, taken.output.data, want);
    buffer_free(&taken.output);
}

#define COMMON                                                                \
    "X-Content-Type-Options: nosniff\r\n"                                     \
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n" \
    "Cross-Origin-Resource-Policy: cross-origin\r\n"                          \
    "Referrer-Policy: no-referrer\r\n"
#define XML "Content-Type: text/xml; charset=UTF-8\r\n"

static void a_whole_response(void **state)
{
    (void)state;
    begin(&ordinary);
    response_header(&response, "Cache-Control", "no-store");
    buffer_add_text(&response.body, "<response />\n");
    assert_int_equal(response_send_if_large(&response), STATUS_OK);
    assert_false(response.begun);
    response_send(&response);
    assert_false(response.broken);
    assert_int_equal(response.sent, 13);
    expect_output("Cache-Control: no-store\r\nContent-Length: 13\r\nStatus: 200 OK\r\n" COMMON XML
                  "\r\n<response />\n");
}

static void another_status(void **state)
{
    (void)state;
    begin(&ordinary);
    response.http_status = 503;
    response.reason = "Service Unavailable";
    response_send(&response);
    expect_output("Content-Length: 0\r\nStatus: 503 Service Unavailable\r\n" COMMON XML "\r\n");
}

/* To HEAD: what GET would say, and no body. */
static void without_a_body(void **state)
{
    (void)state;
    begin(&ordinary);
    response.without_body = true;
    buffer_add_text(&response.body, "<response />\n");
    response_send(&response);
    assert_int_equal(response.sent, 0);
    assert_false(response.broken);
    expect_output("Content-Length: 13\r\nStatus: 200 OK\r\n" COMMON XML "\r\n");
}

static void not_modified(void **state)
{
    (void)state;
    begin(&ordinary);
    response.http_status = 304;
    response.reason = "Not Modified";
    response.without_body = true;
    buffer_add_text(&response.body, "<response />\n");
    response_send(&response);
    expect_output("Status: 304 Not Modified\r\n" COMMON "\r\n");
}

/* What every response to a request has stays where its own headers go, and is no part of them. */
static void shared_lines(void **state)
{
    (void)state;
    begin(&ordinary);
    response.vary = "Cookie";
    response.shared = "X-Shared: yes\r\n";
    response_header(&response, "ETag", "x");
    response_restart(&response);
    assert_int_equal(response.headers.length, 0);
    response.http_status = 204;
    response.reason = "No Content";
    response_send(&response);
    expect_output("Status: 204 No Content\r\n" COMMON "Vary: Cookie\r\nX-Shared: yes\r\n\r\n");
}

static void discarding(void **state)
{
    (void)state;
    begin(&ordinary);
    buffer_add_text(&response.body, "half a ");
    response_discard(&response);
    assert_false(response.broken);
    buffer_add_text(&response.body, "whole");
    response_send(&response);
    expect_output("Content-Length: 5\r\nStatus: 200 OK\r\n" COMMON XML "\r\nwhole");
}

/* Fills the body so that it has this length. */
static void fill(size_t length)
{
    size_t more = length - response.body.length;
    memset(buffer_room(&response.body, more), 'x', more);
    response.body.length = length;
}

static void up_to_a_mebibyte_in_one(void **state)
{
    (void)state;
    begin(&ordinary);
    fill(RESPONSE_WHOLE_MOST - 1);
    assert_int_equal(response_send_if_large(&response), STATUS_OK);
    assert_false(response.begun);
    response_send(&response);
    struct taken taken = fastcgi_end();
    assert_non_null(strstr(taken.output.data, "Content-Length: 1048575\r\n"));
    assert_int_equal(strlen(strstr(taken.output.data, "\r\n\r\n") + 4), RESPONSE_WHOLE_MOST - 1);
    buffer_free(&taken.output);
}

static void more_is_sent_on(void **state)
{
    size_t sent = 0;
    (void)state;
    begin(&ordinary);
    fill(RESPONSE_WHOLE_MOST);
    assert_int_equal(response_send_if_large(&response), STATUS_OK);
    assert_true(response.begun);
    assert_int_equal(response.body.length, 0);
    sent += RESPONSE_WHOLE_MOST;
    for (int i = 0; i < 10; i++) {
        fill(response.body.length + 30000);
        sent += 30000;
        assert_int_equal(response_send_if_large(&response), STATUS_OK);
        assert_true(response.body.length < 65536);
        assert_int_equal(progress_stage(&progress), STAGE_WORKING);
    }
    response_send(&response);
    assert_int_equal(progress_stage(&progress), STAGE_WRITING);
    assert_false(response.broken);
    assert_int_equal(response.sent, sent);
    struct taken taken = fastcgi_end();
    assert_null(strstr(taken.output.data, "Content-Length"));
    assert_non_null(strstr(taken.output.data, "Cache-Control: no-store\r\n"));
    assert_int_equal(strlen(strstr(taken.output.data, "\r\n\r\n") + 4), sent);
    buffer_free(&taken.output);
}

/* What is out cannot be taken back: the response must not look complete. */
static void a_late_failure(void **state)
{
    (void)state;
    begin(&ordinary);
    fill(RESPONSE_WHOLE_MOST);
    assert_int_equal(response_send_if_large(&response), STATUS_OK);
    response_discard(&response);
    assert_true(response.broken);
    response_send(&response);
    assert_true(response.broken);
    struct taken taken = fastcgi_end();
    buffer_free(&taken.output);
}

/* Of a file that has so many bytes; the response says another number. */
static void send_file(size_t has, int64_t says)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    for (size_t i = 0; i < has; i++)
        fputc('a' + (int)(i % 26), file);
    rewind(file);
    response_send_file(&response, fileno(file), says);
    fclose(file);
}

static void a_file(void **state)
{
    (void)state;
    for (size_t size = 0; size < 300000; size = size * 2 + 65535) {
        begin(&ordinary);
        send_file(size, (int64_t)size);
        assert_false(response.broken);
        assert_int_equal(response.sent, size);
        struct taken taken = fastcgi_end();
        const char *body = strstr(taken.output.data, "\r\n\r\n") + 4;
        assert_int_equal(strlen(body), size);
        assert_true(size == 0 || (*body == 'a' && body[size - 1] == 'a' + (char)((size - 1) % 26)));
        buffer_free(&taken.output);
    }
}

static void a_file_for_head(void **state)
{
    (void)state;
    begin(&ordinary);
    response.without_body = true;
    send_file(1000, 1000);
    assert_false(response.broken);
    expect_output("Content-Length: 1000\r\nStatus: 200 OK\r\n" COMMON XML "\r\n");
}

/* It has shrunk since somebody looked. */
static void a_file_that_is_too_short(void **state)
{
    (void)state;
    begin(&ordinary);
    send_file(999, 1000);
    assert_true(response.broken);
    struct taken taken = fastcgi_end();
    buffer_free(&taken.output);
}

/* It has grown. */
static void a_file_that_is_too_long(void **state)
{
    (void)state;
    begin(&ordinary);
    send_file(5, 3);
    assert_false(response.broken);
    expect_output("Content-Length: 3\r\nStatus: 200 OK\r\n" COMMON XML "\r\nabc");
}

static void nothing_of_a_broken_response_is_in_the_next(void **state)
{
    struct responder *responder = fastcgi_begin(&ordinary);
    (void)state;
    assert_true(responder_turn(responder));
    response_reset(&response, responder, &progress);
    buffer_add_text(&response.body, "secret");
    response_send(&response);
    responder_break(responder);
    struct taken taken = fastcgi_end();
    assert_false(taken.ended);
    assert_int_equal(taken.output.length, 0);
    buffer_free(&taken.output);
    begin(&ordinary);
    response_send(&response);
    expect_output("Content-Length: 0\r\nStatus: 200 OK\r\n" COMMON XML "\r\n");
}

static void a_client_that_left(void **state)
{
    const struct conversation conversation = {.variables = variables, .leaves = true};
    (void)state;
    begin(&conversation);
    fill(2 * RESPONSE_WHOLE_MOST);
    assert_int_equal(response_send_if_large(&response), STATUS_UNAVAILABLE);
    response_send(&response);
    assert_true(response.broken);
    struct taken taken = fastcgi_end();
    assert_int_equal(taken.output.length, 0);
    buffer_free(&taken.output);
}

static void a_reset_is_a_new_response(void **state)
{
    (void)state;
    begin(&ordinary);
    response_header(&response, "X", "y");
    response.http_status = 503;
    response.without_body = true;
    fill(RESPONSE_WHOLE_MOST);
    assert_int_equal(response_send_if_large(&response), STATUS_OK);
    response_discard(&response);
    struct taken taken = fastcgi_end();
    buffer_free(&taken.output);

    begin(&ordinary);
    assert_int_equal(response.body.capacity, 0); /* more than it may keep */
    buffer_add_text(&response.body, "new");
    response_send(&response);
    expect_output("Content-Length: 3\r\nStatus: 200 OK\r\n" COMMON XML "\r\nnew");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_whole_response, drop),
        cmocka_unit_test_teardown(another_status, drop),
        cmocka_unit_test_teardown(without_a_body, drop),
        cmocka_unit_test_teardown(not_modified, drop),
        cmocka_unit_test_teardown(shared_lines, drop),
        cmocka_unit_test_teardown(discarding, drop),
        cmocka_unit_test_teardown(up_to_a_mebibyte_in_one, drop),
        cmocka_unit_test_teardown(more_is_sent_on, drop),
        cmocka_unit_test_teardown(a_late_failure, drop),
        cmocka_unit_test_teardown(a_file, drop),
        cmocka_unit_test_teardown(a_file_for_head, drop),
        cmocka_unit_test_teardown(a_file_that_is_too_short, drop),
        cmocka_unit_test_teardown(a_file_that_is_too_long, drop),
        cmocka_unit_test_teardown(nothing_of_a_broken_response_is_in_the_next, drop),
        cmocka_unit_test_teardown(a_client_that_left, drop),
        cmocka_unit_test_teardown(a_reset_is_a_new_response, drop),
    };
    return RUN_TESTS(tests);
}
