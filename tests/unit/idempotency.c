#include "auth/idempotency.h"

#include <string.h>

#include "unit.h"

enum { PAIRS_MOST = 8 };

#define SIXTEEN "0123456789abcdef"
#define LONGEST SIXTEEN SIXTEEN SIXTEEN SIXTEEN

static void keys(void **state)
{
    static const struct {
        const char *value;
        bool want;
    } rows[] = {
        {"a", true},         {"!", true},
        {"~", true},         {"\"8e03978e-40d5-43e8-bc93-6894a57f9324\"", true},
        {"a,b", true},       {LONGEST, true},

        {"", false},         {LONGEST "0", false},
        {"a b", false},      {"a, a", false},
        {" a", false},       {"a ", false},
        {"a\t", false},      {"a\x7f", false},
        {"\xc3\xa9", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_integer(rows[i].value, idempotency_is_key(rows[i].value), rows[i].want);
}

static struct claim claim_of(const char *key, int64_t user, const struct pair *pairs)
{
    const struct session_claim session = {.user_id = user};
    size_t count = 0;
    while (count < PAIRS_MOST && pairs[count].name != NULL)
        count++;
    return idempotency_claim(key, &session, pairs, count, unit_arena);
}

static const struct pair request[PAIRS_MOST] = {{"func", "addAlbum"}, {"lat", "1"}};

/* A user's key is one record, whatever it is sent with. */
static void which_record(void **state)
{
    static const struct {
        const char *key;
        int64_t user;
        bool want;
    } rows[] = {
        {"key", 7, true}, {"Key", 7, false},   {"key", 8, false},
        {"ke", 7, false}, {"7 key", 7, false},
    };
    struct claim first = claim_of("key", 7, request);
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct claim other = claim_of(rows[i].key, rows[i].user, request + 1);
        expect_integer(rows[i].key, memcmp(first.id, other.id, sizeof first.id) == 0, rows[i].want);
    }
    assert_true(first.by_key);
    assert_int_equal(first.asker, 7);
    assert_int_equal(first.owner, 7);
}

static void which_requests_are_the_same(void **state)
{
    static const struct {
        struct pair pairs[PAIRS_MOST];
        bool want;
    } rows[] = {
        {{{"func", "addAlbum"}, {"lat", "1"}}, true},
        {{{"lat", "1"}, {"func", "addAlbum"}}, true},
        {{{"key", "00"}, {"lat", "1"}, {"ts", "1"}, {"func", "addAlbum"}, {"sig", "x"}}, true},
        {{{"responseFormat", "JSON"}, {"func", "addAlbum"}, {"lat", "1"}}, true},
        {{{"func", "addAlbum"}, {"lat", "1.0"}}, false},
        {{{"func", "addAlbum"}, {"lat", "1"}, {"x", ""}}, false},
        {{{"func", "addAlbum"}}, false},
        {{{"func", "addAlbum"}, {"lat", "1"}, {"Key", "00"}}, false},
    };
    struct claim first = claim_of("key", 7, request);
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct claim other = claim_of("key", 7, rows[i].pairs);
        bool same = memcmp(first.request, other.request, sizeof first.request) == 0;
        expect_integer(rows[i].pairs[0].name, same, rows[i].want);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys),
        cmocka_unit_test(which_record),
        cmocka_unit_test(which_requests_are_the_same),
    };
    return cmocka_run_group_tests(tests, unit_arena_begin, unit_arena_end);
}
