#include "auth/access.h"

#include <string.h>

#include "unit.h"

#define TOKEN "000102030405060708090a0b0c0d0e0f"

#define OTHER "ffffffffffffffffffffffffffffffff"
#define LARGEST "9223372036854775807"

static struct session_cookies cookies_of(const char *const *ids, const char *const *texts)
{
    struct session_cookies cookies = {0};
    for (size_t i = 0; ids[i] != NULL; i++)
        session_cookies_add(&cookies, "id", 2, ids[i], strlen(ids[i]), unit_arena);
    for (size_t i = 0; texts[i] != NULL; i++)
        session_cookies_add(&cookies, "idrand", 6, texts[i], strlen(texts[i]), unit_arena);
    return cookies;
}

/* Which pairs may be sessions, by their user and the first digit of the token. */
static void pairs(void **state)
{
    static const struct {
        const char *what, *ids[5], *tokens[5], *want;
    } rows[] = {
        {"one", {"7"}, {TOKEN}, "7/0 "},
        {"the largest", {LARGEST}, {TOKEN}, LARGEST "/0 "},
        {"no token", {"7"}, {NULL}, ""},
        {"no id", {NULL}, {TOKEN}, ""},
        {"none", {NULL}, {NULL}, ""},
        {"zero", {"0"}, {TOKEN}, ""},
        {"too large", {"9223372036854775808"}, {TOKEN}, ""},
        {"zero beside another", {"0", "7"}, {TOKEN}, "7/0 "},
        {"two ids", {"7", "8"}, {TOKEN}, "7/0 8/0 "},
        {"two tokens", {"7"}, {OTHER, TOKEN}, "7/f 7/0 "},
        {"two of both", {"8", "7"}, {OTHER, TOKEN}, "8/f 7/f 8/0 7/0 "},
        {"one id in two texts", {"7", "07"}, {TOKEN}, "7/0 "},
        {"one token in two texts", {"7"}, {OTHER, "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"}, "7/f "},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct candidates candidates;
        const struct session_cookies cookies = cookies_of(rows[i].ids, rows[i].tokens);
        const char *got = "";
        candidates_of(&cookies, &candidates);
        for (size_t k = 0; k < candidates.count; k++)
            got = arena_format(unit_arena, "%s%lld/%c ", got,
                               (long long)candidates.pairs[k].claim.user_id,
                               candidates.pairs[k].token[0]);
        expect_text(rows[i].what, got, rows[i].want);
    }
}

static void cookies_that_cannot_be_a_session(void **state)
{
    static const struct {
        enum access access;
        enum status want;
    } accesses[] = {
        {ACCESS_ANYONE, STATUS_OK},
        {ACCESS_READER, STATUS_OK},
        {ACCESS_SESSION, STATUS_LOGIN_REQUIRED},
        {ACCESS_LOGOUT, STATUS_LOGIN_REQUIRED},
    };
    static const struct session_cookies none;
    (void)state;
    for (size_t i = 0; i < COUNT(accesses); i++) {
        struct access_check check;
        assert_int_equal(access_begin(&check, accesses[i].access, &none, NULL), accesses[i].want);
        assert_int_equal(access_asker(&check), 0);
    }
}

/* Of whoever must log in, an answer in time says who it is; a reader is nobody until a row was
 * found; and where it makes no difference, nobody asks. */
static void who_asks(void **state)
{
    static const struct {
        enum access access;
        int64_t want;
    } accesses[] = {
        {ACCESS_ANYONE, 0},
        {ACCESS_READER, 0},
        {ACCESS_SESSION, 7},
        {ACCESS_LOGOUT, 7},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(accesses); i++) {
        struct access_check check;
        const struct session_cookies cookies =
            cookies_of((const char *const[]){"7", NULL}, (const char *const[]){TOKEN, NULL});
        assert_int_equal(access_begin(&check, accesses[i].access, &cookies, NULL), STATUS_OK);
        access_add(&check, db_batch_new(NULL, unit_arena));
        assert_int_equal(access_asker(&check), accesses[i].want);
    }
}

static void which_require_a_login(void **state)
{
    (void)state;
    assert_false(access_is_required(ACCESS_ANYONE));
    assert_false(access_is_required(ACCESS_READER));
    assert_true(access_is_required(ACCESS_SESSION));
    assert_true(access_is_required(ACCESS_LOGOUT));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pairs, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(cookies_that_cannot_be_a_session, unit_arena_begin,
                                        unit_arena_end),
        cmocka_unit_test_setup_teardown(who_asks, unit_arena_begin, unit_arena_end),
        cmocka_unit_test(which_require_a_login),
    };
    if (crypto_open() != STATUS_OK)
        return 1;
    return RUN_TESTS(tests);
}
