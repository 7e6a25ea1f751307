#include "base/log.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "unit.h"

/* Under systemd lines start with their priority alone. */
static int under_systemd(void **state)
{
    (void)state;
    log_set_level(LOG_LEVEL_INFO);
    return setenv("JOURNAL_STREAM", "8:1", 1);
}

static char *logged(const char *text)
{
    unit_log_begin();
    log_notice("%s", text);
    return unit_log_end();
}

static void a_client_cannot_forge_a_line(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"plain", "<5>plain\n"},
        {"", "<5>\n"},
        {"two\nlines", "<5>two lines\n"},
        {"ends in some\n\n", "<5>ends in some\n"},
        {"\r\t\x1b[31m\x7f", "<5>???[31m?\n"},
        {"登山", "<5>登山\n"},
        /* What a terminal acts on beyond ASCII, and what is not text at all. */
        {"\xc2\x9b[31m", "<5>??[31m\n"},
        {"\xc2\xa0", "<5>\xc2\xa0\n"},
        {"\xff"
         "a\xe5\xb1",
         "<5>?a??\n"},
        {"\xed\xa0\x80\xef\xbf\xbe", "<5>??????\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *got = logged(rows[i].text);
        expect_text(rows[i].text, got, rows[i].want);
        free(got);
    }
}

static void long_lines_are_cut(void **state)
{
    char text[10000];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    char *got = logged(text);
    size_t length = strlen(got);
    assert_in_range(length, 2000, 2048);
    assert_int_equal(strspn(got + 3, "x"), length - 4);
    assert_string_equal(got + length - 2, "x\n");
    free(got);
}

static void not_within_a_character(void **state)
{
    char text[3 * 1000 + 1] = "";
    (void)state;
    for (size_t i = 0; i < sizeof text - 1; i += 3)
        memcpy(text + i, "山", 4);
    for (int shift = 0; shift < 3; shift++) {
        char *got = logged(text + 3 * shift);
        assert_true(text_is_valid(got, strlen(got)));
        free(got);
        got = logged(text + shift);
        assert_true(text_is_valid(got, strlen(got)));
        free(got);
    }
}

static void only_what_is_urgent_enough(void **state)
{
    (void)state;
    log_set_level(LOG_LEVEL_WARNING);
    unit_log_begin();
    log_error("1");
    log_warning("2");
    log_notice("3");
    log_info("4");
    log_debug("5");
    char *got = unit_log_end();
    assert_string_equal(got, "<3>1\n<4>2\n");
    assert_true(log_wants(LOG_LEVEL_WARNING));
    assert_false(log_wants(LOG_LEVEL_NOTICE));
    free(got);
}

static void elsewhere_with_the_time(void **state)
{
    (void)state;
    unsetenv("JOURNAL_STREAM");
    char *got = logged("here");
    /* 2026-02-03T04:05:06.789Z [1234] notice: here */
    assert_int_equal(got[10], 'T');
    assert_string_equal(strstr(got, "Z ["), strchr(got, 'Z'));
    assert_string_equal(strstr(got, "] "), "] notice: here\n");
    free(got);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_client_cannot_forge_a_line, under_systemd),
        cmocka_unit_test_setup(long_lines_are_cut, under_systemd),
        cmocka_unit_test_setup(not_within_a_character, under_systemd),
        cmocka_unit_test_setup(only_what_is_urgent_enough, under_systemd),
        cmocka_unit_test_setup(elsewhere_with_the_time, under_systemd),
    };
    return RUN_TESTS(tests);
}
