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
        {"same-site", "https://www.diary.example", "diary.example", false},
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_foreign),
        cmocka_unit_test(nobody_is_allowed_by_default),
    };
    return RUN_TESTS(tests);
}
