#include "auth/signature.h"

#include <string.h>

#include "unit.h"

enum { PAIRS_MOST = 8 };

static void canonical_strings(void **state)
{
    static const struct {
        struct pair pairs[PAIRS_MOST];
        const char *want;
    } rows[] = {
        {{{NULL, NULL}}, ""},
        {{{"sig", "x"}}, ""},
        {{{"a", "1"}}, "a=1"},
        {{{"b", "2"}, {"sig", "x"}, {"a", "1"}}, "a=1&b=2"},
        /* Nothing but "sig" itself is left out; an empty value is there. */
        {{{"SIG", ""}, {"sigh", ""}, {"si", ""}}, "SIG=&si=&sigh="},
        /* By the encoded name alone: "=" would come after "-" and ".". */
        {{{"a", "1"}, {"a-b", "2"}, {"a.b", "3"}, {"ab", "4"}, {"a0", "5"}},
         "a=1&a-b=2&a.b=3&a0=5&ab=4"},
        /* By its bytes: "%" first, digits, upper case, "_", lower case, "~". */
        {{{"~", ""}, {"a", ""}, {"_", ""}, {"Z", ""}, {"9", ""}, {"\xc3\xa9", ""}, {" ", ""}},
         "%20=&%C3%A9=&9=&Z=&_=&a=&~="},
        {{{"a", "-._~azAZ09"}}, "a=-._~azAZ09"},
        {{{"a", " +*/!'()&=%\r\n\t"}}, "a=%20%2B%2A%2F%21%27%28%29%26%3D%25%0D%0A%09"},
        {{{"a&b=c", "d"}}, "a%26b%3Dc=d"},
        {{{"a", "\xe7\x99\xbb\xf0\xa0\x80\x8b"}}, "a=%E7%99%BB%F0%A0%80%8B"},
        /* What was sent encoded twice is decoded once. */
        {{{"a", "%2F%2f"}}, "a=%252F%252f"},
    };
    struct arena *arena = arena_new();
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t count = 0;
        while (count < PAIRS_MOST && rows[i].pairs[count].name != NULL)
            count++;
        expect_text(rows[i].want,
                    signature_canonical(rows[i].pairs, count, signature_left_out, arena),
                    rows[i].want);
    }
    arena_free(&arena);
}

/* What is refused, or passes, before anybody asks the database. */
static void without_the_database(void **state)
{
#define KEY {"key", "00112233445566778899aabbccddeeff"}
#define TS {"ts", "1700000000"}
#define SIG {"sig", ""}
    static const struct {
        enum signature_mode mode;
        struct pair pairs[PAIRS_MOST];
        enum status want;
        const char *refused;
    } rows[] = {
        {SIGNATURES_IGNORE, {{NULL, NULL}}, STATUS_OK, NULL},
        {SIGNATURES_IGNORE, {SIG}, STATUS_OK, NULL},
        {SIGNATURES_VERIFY, {KEY, TS}, STATUS_OK, NULL},
        {SIGNATURES_VERIFY, {SIG, TS}, STATUS_PARAMETER_MISSING, "key"},
        {SIGNATURES_VERIFY, {SIG, KEY}, STATUS_PARAMETER_MISSING, "ts"},
        {SIGNATURES_VERIFY, {SIG, KEY, {"ts", "now"}}, STATUS_PARAMETER_INVALID, "ts"},
        {SIGNATURES_VERIFY, {SIG, {"key", "00"}, TS}, STATUS_KEY_UNKNOWN, NULL},
        /* Without a master key no key was ever made. */
        {SIGNATURES_VERIFY, {SIG, KEY, TS}, STATUS_KEY_UNKNOWN, NULL},
        {SIGNATURES_REQUIRE, {KEY, TS}, STATUS_SIGNATURE_REQUIRED, NULL},
        {SIGNATURES_REQUIRE, {SIG, TS}, STATUS_PARAMETER_MISSING, "key"},
    };
    char none[] = "/nonexistent/master.key";
    struct arena *arena = arena_new();
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct config config = {.signatures = rows[i].mode, .master_key_file = none};
        struct master_key master = {.is_read = false};
        struct signature_check check;
        const char *refused = NULL;
        size_t count = 0;
        while (count < PAIRS_MOST && rows[i].pairs[count].name != NULL)
            count++;
        enum status status = signature_begin(&check, &config, &master, rows[i].pairs, count, arena,
                                             db_batch_new(NULL, arena), &refused);
        expect_integer(status_text(rows[i].want), status, rows[i].want);
        if (rows[i].refused != NULL)
            expect_text(rows[i].refused, refused, rows[i].refused);
        assert_false(check.is_signed);
    }
    arena_free(&arena);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_strings),
        cmocka_unit_test(without_the_database),
    };
    if (crypto_open() != STATUS_OK)
        return 1;
    return RUN_TESTS(tests);
}
