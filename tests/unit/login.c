#include "auth/common_passwords.h"
#include "auth/password.h"
#include "auth/strength.h"
#include "base/crypto.h"
#include "permit/network.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static void networks(void **state)
{
    static const struct {
        const char *address, *client, *site;
    } rows[] = {
        {"192.0.2.7", "192.0.2.7", "192.0.2.0/"},
        {"192.0.2.0", "192.0.2.0", "192.0.2.0/"},
        {"::ffff:192.0.2.7", "192.0.2.7", "192.0.2.0/"},
        {"::FFFF:c000:207", "192.0.2.7", "192.0.2.0/"},
        {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::", "2001:db8:1::/"},
        {"2001:DB8:1:2::1", "2001:db8:1:2::", "2001:db8:1::/"},
        {"2001:db8:1:3::1", "2001:db8:1:3::", "2001:db8:1::/"},
        {"2001:db8:2:3::1", "2001:db8:2:3::", "2001:db8:2::/"},
        {"2001:db8:1::1", "2001:db8:1::", "2001:db8:1::/"},
        {"::1", "::", "::/"},
        {"", "", "/"},
        {"unix:", "unix:", "unix:/"},
        {"192.0.2", "192.0.2", "192.0.2/"},
        {"not an address", "not an address", "not an address/"},
        {"1234567890123456789012345678901234567890123456789012345678901234567890",
         "12345678901234567890123456789012345678901234567890123456789012",
         "12345678901234567890123456789012345678901234567890123456789012/"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char network[NETWORK_SIZE];
        network_name(rows[i].address, NETWORK_CLIENT, network);
        expect_text(rows[i].address, network, rows[i].client);
        network_name(rows[i].address, NETWORK_SITE, network);
        expect_text(rows[i].address, network, rows[i].site);
    }
}

static const struct password_cost cost = {.memory = 1, .operations = 1};

static void passwords(void **state)
{
    static const struct {
        const char *right, *tried;
        enum status want;
    } rows[] = {
        {"correct horse", "correct horse", STATUS_OK},
        {"密碼 \xf0\xa0\x80\x8b", "密碼 \xf0\xa0\x80\x8b", STATUS_OK},
        {"", "", STATUS_OK},
        {"correct horse", "Correct horse", STATUS_PASSWORD_INCORRECT},
        {"correct horse", "correct horse ", STATUS_PASSWORD_INCORRECT},
        {"correct horse", "", STATUS_PASSWORD_INCORRECT},
        {"", "x", STATUS_PASSWORD_INCORRECT},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char hash[PASSWORD_HASH_SIZE];
        assert_int_equal(password_hash(rows[i].right, &cost, hash), STATUS_OK);
        expect_integer(rows[i].tried, password_verify(hash, rows[i].tried, &cost), rows[i].want);
    }
}

/* All of it counts, however long. */
static void long_passwords(void **state)
{
    char right[1025], hash[PASSWORD_HASH_SIZE];
    (void)state;
    memset(right, 'p', sizeof right - 1);
    right[sizeof right - 1] = '\0';
    assert_int_equal(password_hash(right, &cost, hash), STATUS_OK);
    assert_int_equal(password_verify(hash, right, &cost), STATUS_OK);
    right[sizeof right - 2] = 'q';
    assert_int_equal(password_verify(hash, right, &cost), STATUS_PASSWORD_INCORRECT);
}

static void the_hash_says_its_kind_and_cost(void **state)
{
    static const char want[] = "$argon2id$v=19$m=2048,t=3,p=1$";
    static const struct password_cost other = {.memory = 2, .operations = 3};
    char one[PASSWORD_HASH_SIZE], two[PASSWORD_HASH_SIZE];
    (void)state;
    assert_int_equal(password_hash("same", &other, one), STATUS_OK);
    assert_int_equal(password_hash("same", &other, two), STATUS_OK);
    assert_memory_equal(one, want, sizeof want - 1);
    assert_string_not_equal(one, two); /* each its salt */
    /* One made at another cost is verified at its own. */
    assert_int_equal(password_verify(one, "same", &cost), STATUS_OK);
}

static void what_is_no_hash_matches_nothing(void **state)
{
    static const char *const rows[] = {
        NULL,
        "",
        "correct horse",
        "$argon2id$v=19$m=1024,t=1,p=1$",
        "$argon2id$v=19$m=1024,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "$2b$12$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        expect_integer(rows[i], password_verify(rows[i], "correct horse", &cost),
                       STATUS_PASSWORD_INCORRECT);
        expect_integer(rows[i], password_verify(rows[i], "", &cost), STATUS_PASSWORD_INCORRECT);
    }
}

/* Verified at their own cost, these would take hours, or all memory. */
static void a_hash_that_is_too_dear_matches_nothing(void **state)
{
    static const struct {
        const char *cost;
        bool is_hash;
    } rows[] = {
        {"m=65536,t=2", true},          {"m=1048576,t=2", true},        {"m=8192,t=256", true},
        {"m=8192,t=257", false},        {"m=1048576,t=3", false},       {"m=4194304,t=1", false},
        {"m=65536,t=33", false},        {"m=1024,t=4294967295", false}, {"m=4294967295,t=1", false},
        {"m=1024,t=2147483648", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char hash[PASSWORD_HASH_SIZE];
        snprintf(hash, sizeof hash, "$argon2id$v=19$%s,p=1$AAAAAAAAAAAAAAAAAAAAAA$%s", rows[i].cost,
                 "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
        expect_integer(rows[i].cost, password_is_hash(hash), rows[i].is_hash);
        if (!rows[i].is_hash)
            expect_integer(rows[i].cost, password_verify(hash, "correct horse", &cost),
                           STATUS_PASSWORD_INCORRECT);
    }
}

/* By its bytes, and in any case; what is not among the common ones may look like them. */
static void which_passwords_may_be_chosen(void **state)
{
    static const struct {
        const char *password;
        enum status want;
    } rows[] = {
        {"", STATUS_PASSWORD_TOO_WEAK},
        {"k3}vq-7", STATUS_PASSWORD_TOO_WEAK},
        {"k3}vq-7!", STATUS_OK},
        {"\u5bc6\u78bc\u5bc6", STATUS_OK}, /* nine bytes */
        {"12345678", STATUS_PASSWORD_TOO_WEAK},
        {"password", STATUS_PASSWORD_TOO_WEAK},
        {"PassWord", STATUS_PASSWORD_TOO_WEAK},
        {"password ", STATUS_OK},
        {"!qaz2wsx", STATUS_PASSWORD_TOO_WEAK},
        {"correct horse", STATUS_OK},
        {"        ", STATUS_OK},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_integer(rows[i].password, strength_check(rows[i].password), rows[i].want);
}

static void long_passwords_may_be_chosen(void **state)
{
    char password[PASSWORD_LONGEST + 2];
    (void)state;
    memset(password, 'p', sizeof password - 1);
    password[sizeof password - 1] = '\0';
    assert_int_equal(strength_check(password), STATUS_PARAMETER_INVALID);
    assert_int_equal(strength_check(password + 1), STATUS_OK);
}

/* bsearch() finds each. */
static void the_common_passwords_are_sorted(void **state)
{
    (void)state;
    assert_true(common_passwords_count > 3000);
    for (size_t i = 0; i < common_passwords_count; i++) {
        assert_true(i == 0 || strcmp(common_passwords[i - 1], common_passwords[i]) < 0);
        expect_integer(common_passwords[i], strength_check(common_passwords[i]),
                       STATUS_PASSWORD_TOO_WEAK);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks),
        cmocka_unit_test(passwords),
        cmocka_unit_test(long_passwords),
        cmocka_unit_test(the_hash_says_its_kind_and_cost),
        cmocka_unit_test(what_is_no_hash_matches_nothing),
        cmocka_unit_test(a_hash_that_is_too_dear_matches_nothing),
        cmocka_unit_test(which_passwords_may_be_chosen),
        cmocka_unit_test(long_passwords_may_be_chosen),
        cmocka_unit_test(the_common_passwords_are_sorted),
    };
    if (crypto_open() != STATUS_OK)
        return 1;
    return RUN_TESTS(tests);
}
