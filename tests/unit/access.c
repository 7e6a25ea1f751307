#include "auth/access.h"

#include "unit.h"

#define TOKEN "000102030405060708090a0b0c0d0e0f"

/* One answer for all: a login is required. */
static const struct {
    const char *id, *token;
    int64_t want; /* 0: no session can be meant */
} rows[] = {
    {"7", TOKEN, 7},
    {"9223372036854775807", TOKEN, INT64_MAX},
    {NULL, TOKEN, 0},
    {"7", NULL, 0},
    {NULL, NULL, 0},
    {"", TOKEN, 0},
    {"0", TOKEN, 0},
    {"-7", TOKEN, 0},
    {"7x", TOKEN, 0},
    {" 7", TOKEN, 0},
    {"9223372036854775808", TOKEN, 0},
    {"7", "", 0},
    {"7", "000102030405060708090a0b0c0d0e0", 0},
    {"7", TOKEN "0", 0},
    {"7", "000102030405060708090a0b0c0d0e0g", 0},
};

static void claims(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct session_claim claim;
        bool is_claim = access_read_claim(rows[i].id, rows[i].token, &claim);
        expect_integer(rows[i].id, is_claim, rows[i].want != 0);
        if (is_claim)
            expect_integer(rows[i].id, claim.user_id, rows[i].want);
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
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t k = 0; k < COUNT(accesses); k++) {
            struct access_check check;
            enum status status =
                access_begin(&check, accesses[k].access, rows[i].id, rows[i].token);
            expect_integer(rows[i].id, status, rows[i].want != 0 ? STATUS_OK : accesses[k].want);
            if (rows[i].want == 0)
                expect_integer(rows[i].id, access_asker(&check), 0);
        }
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
        assert_int_equal(access_begin(&check, accesses[i].access, "7", TOKEN), STATUS_OK);
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
        cmocka_unit_test_setup_teardown(claims, unit_arena_begin, unit_arena_end),
        cmocka_unit_test_setup_teardown(cookies_that_cannot_be_a_session, unit_arena_begin,
                                        unit_arena_end),
        cmocka_unit_test_setup_teardown(who_asks, unit_arena_begin, unit_arena_end),
        cmocka_unit_test(which_require_a_login),
    };
    if (crypto_open() != STATUS_OK)
        return 1;
    return RUN_TESTS(tests);
}
