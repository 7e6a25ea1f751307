#include "base/status.h"

#include <ctype.h>
#include <string.h>

#include "unit.h"

/* The texts of the interface. */
static void texts_are_those_of_the_interface(void **state)
{
    static const struct {
        enum status status;
        const char *want;
    } rows[] = {
        {STATUS_OK, "SUCCESS"},
        {STATUS_MALFORMED_REQUEST, "MALFORMED REQUEST"},
        {STATUS_METHOD_NOT_ALLOWED, "METHOD NOT ALLOWED"},
        {STATUS_REQUEST_TOO_LARGE, "REQUEST TOO LARGE"},
        {STATUS_UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED MEDIA TYPE"},
        {STATUS_UNKNOWN_FUNC, "UNKNOWN FUNC"},
        {STATUS_CROSS_SITE, "CROSS-SITE REQUEST"},
        {STATUS_PARAMETER_MISSING, "MISSING PARAMETER"},
        {STATUS_PARAMETER_INVALID, "INVALID PARAMETER"},
        {STATUS_PARAMETER_DUPLICATE, "DUPLICATE PARAMETER"},
        {STATUS_LOGIN_REQUIRED, "LOGIN REQUIRED"},
        {STATUS_PASSWORD_INCORRECT, "PASSWORD INCORRECT"},
        {STATUS_TOO_MANY_ATTEMPTS, "TOO MANY ATTEMPTS"},
        {STATUS_REGISTRATION_CLOSED, "REGISTRATION CLOSED"},
        {STATUS_TOKEN_INVALID, "TOKEN INVALID"},
        {STATUS_PASSWORD_TOO_WEAK, "PASSWORD TOO WEAK"},
        {STATUS_KEY_UNKNOWN, "KEY UNKNOWN"},
        {STATUS_SIGNATURE_REQUIRED, "SIGNATURE REQUIRED"},
        {STATUS_SIGNATURE_INVALID, "SIGNATURE INVALID"},
        {STATUS_TIMESTAMP_EXPIRED, "TIMESTAMP EXPIRED"},
        {STATUS_REQUEST_REPLAYED, "REQUEST REPLAYED"},
        {STATUS_ALBUM_NOT_FOUND, "ALBUM NOT FOUND"},
        {STATUS_POI_NOT_FOUND, "POI NOT FOUND"},
        {STATUS_BLOG_NOT_FOUND, "BLOG NOT FOUND"},
        {STATUS_USER_NOT_FOUND, "USER NOT FOUND"},
        {STATUS_NOT_OWNER, "NOT OWNER"},
        {STATUS_PHOTO_NOT_FOUND, "PHOTO NOT FOUND"},
        {STATUS_PHOTO_NOT_READABLE, "PHOTO NOT READABLE"},
        {STATUS_PHOTO_TOO_LARGE, "PHOTO TOO LARGE"},
        {STATUS_PICTURE_TOO_LARGE, "PHOTO TOO LARGE"},
        {STATUS_QUOTA_EXCEEDED, "QUOTA EXCEEDED"},
        {STATUS_COMMENT_NOT_FOUND, "COMMENT NOT FOUND"},
        {STATUS_VOTE_NOT_FOUND, "VOTE NOT FOUND"},
        {STATUS_ALREADY_VOTED, "ALREADY VOTED"},
        {STATUS_VOTE_CLOSED, "VOTE CLOSED"},
        {STATUS_OWN_PIECE, "OWN PIECE"},
        {STATUS_UNAVAILABLE, "SERVICE UNAVAILABLE"},
        {STATUS_INTERNAL, "INTERNAL ERROR"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_text(rows[i].want, status_text(rows[i].status), rows[i].want);
}

static void each_has_a_text_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < STATUS_COUNT; i++) {
        const char *text = status_text((enum status)i);
        for (const char *c = text; *c != '\0'; c++)
            assert_true(isupper((unsigned char)*c) || *c == ' ' || *c == '-');
        bool is_another_way = i == STATUS_PICTURE_TOO_LARGE || i == STATUS_TOO_MUCH_TODAY;
        for (int k = 0; k < i && !is_another_way; k++)
            assert_string_not_equal(text, status_text((enum status)k));
    }
}

static void what_is_not_found_is_absent(void **state)
{
    (void)state;
    for (int i = 0; i < STATUS_COUNT; i++) {
        const struct outcome *outcome = status_outcome((enum status)i);
        assert_int_equal(outcome->absent, strstr(outcome->text, "NOT FOUND") != NULL);
    }
}

static void a_value_that_is_none_is_a_fault(void **state)
{
    (void)state;
    assert_string_equal(status_text(STATUS_COUNT), "INTERNAL ERROR");
    assert_string_equal(status_text((enum status) - 1), "INTERNAL ERROR");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_those_of_the_interface),
        cmocka_unit_test(each_has_a_text_of_its_own),
        cmocka_unit_test(what_is_not_found_is_absent),
        cmocka_unit_test(a_value_that_is_none_is_a_fault),
    };
    return RUN_TESTS(tests);
}
