#include "http/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastcgi.h"
#include "unit.h"

#define FORM "CONTENT_TYPE=application/x-www-form-urlencoded"

static struct buffer body_read;

/* The request's texts live until end(). */
static enum status read_request(const struct conversation *conversation, struct request *request)
{
    return request_read(fastcgi_begin(conversation), &body_read, unit_arena, request);
}

static void end(void)
{
    struct taken taken = fastcgi_end();
    assert_true(taken.ended);
    buffer_free(&taken.output);
    buffer_free(&body_read);
}

static void all_variables(void **state)
{
    static const char *const variables[] = {"REQUEST_METHOD=POST",
                                            "QUERY_STRING=func=getAlbum&albumID=7",
                                            FORM,
                                            "CONTENT_LENGTH=3",
                                            "REMOTE_ADDR=192.0.2.7",
                                            "HTTPS=on",
                                            "HTTP_COOKIE=id=7; idrand=ab",
                                            "HTTP_HOST=diary.example",
                                            "HTTP_ORIGIN=https://diary.example",
                                            "HTTP_SEC_FETCH_SITE=same-origin",
                                            "HTTP_IF_NONE_MATCH=\"abc\"",
                                            "HTTP_IDEMPOTENCY_KEY=k-1",
                                            "HTTP_HOSTILE=no",
                                            "HTTP_HOS=no",
                                            NULL};
    const struct conversation conversation = {
        .variables = variables, .body = "a=1", .body_length = 3};
    struct request request;
    (void)state;
    assert_int_equal(read_request(&conversation, &request), STATUS_OK);
    assert_int_equal(request.method, METHOD_POST);
    assert_string_equal(request.query, "func=getAlbum&albumID=7");
    assert_string_equal(request.body, "a=1");
    assert_int_equal(request.body_length, 3);
    assert_string_equal(request.remote_address, "192.0.2.7");
    assert_string_equal(request.cookies, "id=7; idrand=ab");
    assert_string_equal(request.host, "diary.example");
    assert_string_equal(request.origin, "https://diary.example");
    assert_string_equal(request.sec_fetch_site, "same-origin");
    assert_string_equal(request.if_none_match, "\"abc\"");
    assert_string_equal(request.idempotency_key, "k-1");
    assert_true(request_is_secure(&request));
    end();
}

static void nothing_but_a_method(void **state)
{
    static const char *const variables[] = {"REQUEST_METHOD=GET", NULL};
    const struct conversation conversation = {
        .variables = variables, .body = NULL, .body_length = 0};
    struct request request;
    (void)state;
    assert_int_equal(read_request(&conversation, &request), STATUS_OK);
    assert_int_equal(request.method, METHOD_GET);
    assert_null(request.query);
    assert_null(request.cookies);
    assert_null(request.if_none_match);
    assert_string_equal(request.body, "");
    assert_int_equal(request.body_length, 0);
    assert_false(request_is_secure(&request));
    end();
}

static void checks(void **state)
{
    static const struct {
        const char *method, *type, *length, *body;
        enum status want;
    } rows[] = {
        {"GET", NULL, NULL, "", STATUS_OK},
        {"HEAD", NULL, "", "", STATUS_OK},
        {"GET", "text/plain", "0", "", STATUS_OK},
        {"POST", "application/x-www-form-urlencoded", "3", "a=1", STATUS_OK},
        {"GET", "application/x-www-form-urlencoded", "3", "a=1", STATUS_OK},
        {"POST", "Application/X-WWW-Form-URLEncoded", "3", "a=1", STATUS_OK},
        {"POST", "application/x-www-form-urlencoded;charset=utf-8", "3", "a=1", STATUS_OK},
        {"POST", "application/x-www-form-urlencoded ; charset=UTF-8", "3", "a=1", STATUS_OK},
        {"POST", "application/x-www-form-urlencoded; charset=\"utf-8\"", "3", "a=1", STATUS_OK},
        {"POST", "application/x-www-form-urlencoded;", "3", "a=1", STATUS_OK},

        {"PUT", NULL, NULL, "", STATUS_METHOD_NOT_ALLOWED},
        {"get", NULL, NULL, "", STATUS_METHOD_NOT_ALLOWED},
        {"GETS", NULL, NULL, "", STATUS_METHOD_NOT_ALLOWED},
        {"", NULL, NULL, "", STATUS_METHOD_NOT_ALLOWED},
        {"PUT", "text/plain", "9", "short", STATUS_METHOD_NOT_ALLOWED}, /* comes first */

        {"POST", NULL, "3", "a=1", STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "", "3", "a=1", STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "text/plain", "3", "a=1", STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "multipart/form-data; boundary=x", "3", "a=1", STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "application/x-www-form-urlencodedx", "3", "a=1", STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "application/x-www-form-urlencoded; charset=big5", "3", "a=1",
         STATUS_UNSUPPORTED_MEDIA_TYPE},
        {"POST", "application/x-www-form-urlencoded charset=utf-8", "3", "a=1",
         STATUS_UNSUPPORTED_MEDIA_TYPE},

        {"POST", "application/x-www-form-urlencoded", "4", "a=1", STATUS_MALFORMED_REQUEST},
        {"POST", "application/x-www-form-urlencoded", "2", "a=1", STATUS_MALFORMED_REQUEST},
        {"POST", "application/x-www-form-urlencoded", NULL, "a=1", STATUS_MALFORMED_REQUEST},
        {"POST", "application/x-www-form-urlencoded", "-3", "a=1", STATUS_MALFORMED_REQUEST},
        {"POST", "application/x-www-form-urlencoded", "abc", "a=1", STATUS_MALFORMED_REQUEST},
        {"POST", "application/x-www-form-urlencoded", "3x", "a=1", STATUS_MALFORMED_REQUEST},
        {"POST", "application/x-www-form-urlencoded", "9223372036854775807", "a=1",
         STATUS_MALFORMED_REQUEST},
        {"POST", "application/x-www-form-urlencoded", "99999999999999999999", "a=1",
         STATUS_MALFORMED_REQUEST},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *variables[4] = {arena_format(unit_arena, "REQUEST_METHOD=%s", rows[i].method)};
        size_t count = 1;
        struct request request;
        if (rows[i].type != NULL)
            variables[count++] = arena_format(unit_arena, "CONTENT_TYPE=%s", rows[i].type);
        if (rows[i].length != NULL)
            variables[count++] = arena_format(unit_arena, "CONTENT_LENGTH=%s", rows[i].length);
        const struct conversation conversation = {
            .variables = variables, .body = rows[i].body, .body_length = strlen(rows[i].body)};
        expect_integer(
            arena_format(unit_arena, "%s, %s, %s", rows[i].method, rows[i].type, rows[i].length),
            read_request(&conversation, &request), rows[i].want);
        end();
    }
}

static void bodies_of_any_size(void **state)
{
    static const struct {
        size_t length;
        enum status want;
    } rows[] = {
        {1, STATUS_OK},
        {8191, STATUS_OK},
        {8192, STATUS_OK},
        {65536, STATUS_OK},
        {1048575, STATUS_OK},
        {1048576, STATUS_OK},
        {1048577, STATUS_REQUEST_TOO_LARGE},
        {1052672, STATUS_REQUEST_TOO_LARGE}, /* 4096 more */
        {3000000, STATUS_REQUEST_TOO_LARGE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *body = malloc(rows[i].length);
        struct request request;
        assert_non_null(body);
        for (size_t k = 0; k < rows[i].length; k++)
            body[k] = (char)('a' + k % 26);
        const char *const variables[] = {
            "REQUEST_METHOD=POST", FORM,
            arena_format(unit_arena, "CONTENT_LENGTH=%zu", rows[i].length), NULL};
        const struct conversation conversation = {
            .variables = variables, .body = body, .body_length = rows[i].length};
        expect_integer(variables[2], read_request(&conversation, &request), rows[i].want);
        if (rows[i].want == STATUS_OK) {
            assert_int_equal(request.body_length, rows[i].length);
            assert_memory_equal(request.body, body, rows[i].length);
            assert_int_equal(request.body[rows[i].length], '\0');
        }
        end();
        free(body);
        arena_reset(unit_arena);
    }
}

static void secure(void **state)
{
    static const struct {
        const char *https;
        bool want;
    } rows[] = {{NULL, false}, {"", false},  {"off", false}, {"OFF", false},
                {"on", true},  {"On", true}, {"1", true}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct request request = {.https = rows[i].https};
        expect_integer(rows[i].https, request_is_secure(&request), rows[i].want);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_variables, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(nothing_but_a_method, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(checks, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(bodies_of_any_size, unit_arena_begin, unit_arena_end),
        cmocka_unit_test(secure),
    };
    return RUN_TESTS(tests);
}
