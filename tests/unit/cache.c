#include "http/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/crypto.h"
#include "unit.h"

static void tags_of_if_none_match(void **state)
{
    static const struct {
        const char *field;
        bool want;
    } rows[] = {
        {"\"abc\"", true},
        {"W/\"abc\"", true},
        {"\"x\", \"abc\"", true},
        {"\"abc\", \"x\"", true},
        {"\"x\",\"abc\"", true},
        {"\"x\" , W/\"y\" ,\tW/\"abc\"", true},
        {"\"\", \"abc\"", true},
        {"\"a,b\", \"abc\"", true}, /* a comma may stand in a tag */
        {"*", true},
        {"  *", true},
        {", \"abc\"", true},

        {"", false},
        {" ", false},
        {"abc", false},
        {"\"ab\"", false},
        {"\"abcd\"", false},
        {"\"ABC\"", false},
        {"\"abc", false},
        {"\"", false},
        {"W/", false},
        {"w/\"abc\"", false},
        {"\"x\", abc, \"abc\"", false}, /* not a list of tags */
        {"\"x\", *", false},
        {"\"x, \"abc\"", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_integer(rows[i].field, cache_matches(rows[i].field, "\"abc\""), rows[i].want);
}

static struct response new_response(const char *body)
{
    struct response response = {.http_status = 200, .reason = "OK"};
    buffer_add_text(&response.body, body);
    return response;
}

static char *headers_of(const struct response *response)
{
    char *text = calloc(1, response->headers.length + 1);
    assert_non_null(text);
    if (response->headers.length > 0)
        memcpy(text, response->headers.data, response->headers.length);
    return text;
}

/* Of "abc", as xxh128sum(1) has it. */
#define TAG "\"06b05ab6733a618578af5f94892f3950\""
#define VALIDATED "ETag: " TAG "\r\n"

static void headers(void **state)
{
    static const struct {
        const char *name;
        struct request request;
        int64_t max_age;
        const char *want;
        int http_status;
    } rows[] = {
        {"GET",
         {.method = METHOD_GET},
         1000,
         VALIDATED "Cache-Control: public, max-age=1\r\n",
         200},
        {"HEAD",
         {.method = METHOD_HEAD},
         1000,
         VALIDATED "Cache-Control: public, max-age=1\r\n",
         200},
        {"half a minute",
         {.method = METHOD_GET},
         30000,
         VALIDATED "Cache-Control: public, max-age=30\r\n",
         200},
        {"no time at all",
         {.method = METHOD_GET},
         999,
         VALIDATED "Cache-Control: public, max-age=0\r\n",
         200},
        {"a body",
         {.method = METHOD_GET, .body_length = 1},
         1000,
         VALIDATED "Cache-Control: no-cache\r\n",
         200},
        {"cookies",
         {.method = METHOD_GET, .cookies = "a=1"},
         1000,
         "Cache-Control: no-store\r\n",
         200},
        {"no cookies in the header",
         {.method = METHOD_GET, .cookies = ""},
         1000,
         "Cache-Control: no-store\r\n",
         200},
        {"cookies and a tag",
         {.method = METHOD_GET, .cookies = "a=1", .if_none_match = "*"},
         1000,
         "Cache-Control: no-store\r\n",
         200},
        {"the same tag",
         {.method = METHOD_GET, .if_none_match = TAG},
         1000,
         VALIDATED "Cache-Control: public, max-age=1\r\n",
         304},
        {"HEAD and the same tag",
         {.method = METHOD_HEAD, .if_none_match = "W/" TAG},
         1000,
         VALIDATED "Cache-Control: public, max-age=1\r\n",
         304},
        {"a body and the same tag",
         {.method = METHOD_GET, .body_length = 1, .if_none_match = TAG},
         1000,
         VALIDATED "Cache-Control: no-cache\r\n",
         304},
        {"another tag",
         {.method = METHOD_GET, .if_none_match = "\"abc\""},
         1000,
         VALIDATED "Cache-Control: public, max-age=1\r\n",
         200},
        {"POST and the same tag",
         {.method = METHOD_POST, .if_none_match = TAG},
         1000,
         VALIDATED "Cache-Control: public, max-age=1\r\n",
         200},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct response response = new_response("abc");
        cache_allow(&response, &rows[i].request, rows[i].max_age);
        char *got = headers_of(&response);
        expect_text(rows[i].name, got, rows[i].want);
        /* A shared cache asks again for who has cookies. */
        bool is_tagged = strncmp(rows[i].want, "ETag", 4) == 0;
        expect_text(rows[i].name, response.vary, is_tagged ? "Cookie" : NULL);
        expect_integer(rows[i].name, response.http_status, rows[i].http_status);
        expect_integer(rows[i].name, response.without_body, rows[i].http_status == 304);
        free(got);
        response_free(&response);
    }
}

static void the_tag_is_of_the_body(void **state)
{
    static const char *const bodies[] = {"", "a", "b", "ab"};
    const struct request request = {.method = METHOD_GET};
    char *tags[COUNT(bodies)];
    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++) {
        struct response response = new_response(bodies[i]);
        cache_allow(&response, &request, 1000);
        tags[i] = headers_of(&response);
        response_free(&response);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(tags[i], tags[k]);
    }
    for (size_t i = 0; i < COUNT(bodies); i++)
        free(tags[i]);
}

static void forbidding(void **state)
{
    struct response response = new_response("abc");
    (void)state;
    cache_forbid(&response);
    char *got = headers_of(&response);
    assert_string_equal(got, "Cache-Control: no-store\r\n");
    free(got);
    response_free(&response);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_of_if_none_match),
        cmocka_unit_test(headers),
        cmocka_unit_test(the_tag_is_of_the_body),
        cmocka_unit_test(forbidding),
    };
    if (crypto_open() != STATUS_OK)
        return 1;
    return RUN_TESTS(tests);
}
