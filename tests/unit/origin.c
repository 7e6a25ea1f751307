#include "auth/origin.h"

#include "unit.h"

static const char allowed[] = " https://app.example  http://localhost:3000 ";

static void who_is_foreign(void **state)
{
    static const struct {
        const char *site, *origin, *host;
        bool want;
    } rows[] = {
        /* Not a browser. */
        {NULL, NULL, "diary.example", false},
        {NULL, NULL, NULL, false},
        /* Fetch metadata rules where it is there. */
        {"same-origin", "https://diary.example", "diary.example", false},
        /* Of the same site may be anybody's: the origin decides. */
        {"same-site", "https://www.diary.example", "diary.example", true},
        {"same-site", "https://diary.example", "diary.example", false},
        {"same-site", "https://diary.example:8443", "diary.example", true},
        {"same-site", "https://app.example", "diary.example", false},
        {"same-site", "null", "diary.example", true},
        {"same-site", "", "diary.example", true},
        {"same-site", NULL, "diary.example", true},
        {"none", NULL, "diary.example", false},
        {"cross-site", "https://evil.example", "diary.example", true},
        {"cross-site", "https://diary.example", "diary.example", true},
        {"cross-site", NULL, "diary.example", true},
        {"", NULL, "diary.example", true},
        {"Same-Origin", NULL, "diary.example", true},
        {"same-origin, cross-site", NULL, "diary.example", true},
        /* Older browsers: the origin alone. */
        {NULL, "https://diary.example", "diary.example", false},
        {NULL, "http://diary.example", "diary.example", false},
        {NULL, "HTTPS://Diary.Example", "diary.example", false},
        {NULL, "http://diary.example:8080", "diary.example:8080", false},
        {NULL, "http://[::1]:8080", "[::1]:8080", false},
        {NULL, "http://diary.example:8080", "diary.example", true},
        {NULL, "http://diary.example", "diary.example:8080", true},
        {NULL, "https://evil.example", "diary.example", true},
        {NULL, "https://diary.example.evil.example", "diary.example", true},
        {NULL, "https://evil-diary.example", "diary.example", true},
        {NULL, "https://evil.example://diary.example", "diary.example", true},
        {NULL, "null", "diary.example", true},
        {NULL, "", "diary.example", true},
        {NULL, "diary.example", "diary.example", true},
        {NULL, "ftp://diary.example", "diary.example", true},
        {NULL, "httpevil://diary.example", "diary.example", true},
        {NULL, "httpsx://diary.example", "diary.example", true},
        {NULL, "http:diary.example", "diary.example", true},
        {NULL, "https://diary.example", NULL, true},
        {NULL, "null", "null", true},
        /* Allowed, whatever else is said. */
        {"cross-site", "https://app.example", "diary.example", false},
        {NULL, "https://app.example", "diary.example", false},
        {NULL, "HTTPS://APP.EXAMPLE", "diary.example", false},
        {NULL, "http://localhost:3000", "diary.example", false},
        {NULL, "http://app.example", "diary.example", true},
        {NULL, "https://app.example:8443", "diary.example", true},
        {NULL, "https://app.exampl", "diary.example", true},
        {NULL, "https://app.example.evil.example", "diary.example", true},
        {NULL, "https://app.example http://localhost:3000", "diary.example", true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct origin_headers headers = {rows[i].site, rows[i].origin, rows[i].host};
        expect_integer(rows[i].origin != NULL ? rows[i].origin : rows[i].site,
                       origin_is_foreign(&headers, allowed), rows[i].want);
    }
}

static void nobody_is_allowed_by_default(void **state)
{
    struct origin_headers headers = {NULL, "https://app.example", "diary.example"};
    (void)state;
    assert_true(origin_is_foreign(&headers, ""));
    assert_true(origin_is_foreign(&headers, "   "));
    headers.origin = "";
    assert_true(origin_is_foreign(&headers, ""));
}

static void lists(void **state)
{
    static const struct {
        const char *list;
        bool right;
    } rows[] = {
        {"", true},
        {"  ", true},
        {"https://app.example", true},
        {" https://app.example  http://localhost:3000 ", true},
        {"http://192.0.2.7:8080", true},
        {"http://[::1]:3000", true},
        {"https://xn--fiq228c.example", true},
        {"https://app.example:80", true},
        {"http://app.example:443", true},
        {"https://a_b.example", true},
        {"capacitor://localhost", true},
        {"chrome-extension://abcdefghijklmnopabcdefghijklmnop", true},
        {"https://app.example:65535", true},

        {"*", false},
        {"null", false},
        {"app.example", false},
        {"//app.example", false},
        {"://app.example", false},
        {"https:app.example", false},
        {"https:/app.example", false},
        {"https://", false},
        {"https://app.example/", false},
        {"https://app.example/path", false},
        {"https://app.example?a", false},
        {"https://app.example#a", false},
        {"https://user@app.example", false},
        {"https://*.example", false},
        {"https://App.example", false},
        {"HTTPS://app.example", false},
        {"https://\xe4\xb8\xad.example", false},
        {"https://app.example,https://b.example", false},
        {"https://app.example:", false},
        {"https://app.example:x", false},
        {"https://app.example:0", false},
        {"https://app.example:03000", false},
        {"https://app.example:65536", false},
        {"https://app.example:100000", false},
        {"https://app.example:443", false}, /* browsers leave it out */
        {"http://app.example:80", false},
        {"http://[::1", false},
        {"http://[g]", false},
        {"https://app.example https://b.example/", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char reason[256] = "";
        bool right = origin_check_list(rows[i].list, reason, sizeof reason) == STATUS_OK;
        expect_integer(rows[i].list, right, rows[i].right);
        expect_integer(rows[i].list, *reason == '\0', rows[i].right);
    }
}

static void addresses_of_the_service(void **state)
{
    static const struct {
        const char *url;
        bool right;
    } rows[] = {
        {"https://diary.example", true},
        {"http://localhost", true},
        {"http://192.0.2.7:8080", true},
        {"https://[2001:db8::1]:8443", true},

        {"", false},
        {"diary.example", false},
        {"ftp://diary.example", false},
        {"capacitor://localhost", false},
        {"https://", false},
        {"https://diary.example/", false},
        {"https://diary.example/diary", false},
        {"https://diary.example?a", false},
        {"https://ann@diary.example", false},
        {"https://Diary.example", false},
        {"HTTPS://diary.example", false},
        {"https://diary.example:443", false},
        {"http://diary.example:80", false},
        {"https://diary.example https://diary.example", false},
        {" https://diary.example", false},
        {"https://diary.example ", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char reason[256] = "";
        bool right = origin_check_url(rows[i].url, reason, sizeof reason) == STATUS_OK;
        expect_integer(rows[i].url, right, rows[i].right);
        expect_integer(rows[i].url, *reason == '\0', rows[i].right);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_foreign),
        cmocka_unit_test(nobody_is_allowed_by_default),
        cmocka_unit_test(lists),
        cmocka_unit_test(addresses_of_the_service),
    };
    return RUN_TESTS(tests);
}
