#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "unit.h"

/* A literal with its length, as bytes may be NUL. */
#define BYTES(literal) literal, sizeof(literal) - 1

static void valid_text(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        bool want;
    } rows[] = {
        {BYTES(""), true},
        {BYTES("plain"), true},
        {BYTES("\t\n\r"), true},
        {BYTES("\x7f"), true},
        {BYTES("\xc2\x80"), true},         /* U+0080, the first of two bytes */
        {BYTES("\xdf\xbf"), true},         /* U+07FF, the last */
        {BYTES("\xe0\xa0\x80"), true},     /* U+0800, the first of three */
        {BYTES("\xed\x9f\xbf"), true},     /* U+D7FF, before the surrogates */
        {BYTES("\xee\x80\x80"), true},     /* U+E000, after them */
        {BYTES("\xef\xbf\xbd"), true},     /* U+FFFD */
        {BYTES("\xf0\x90\x80\x80"), true}, /* U+10000, the first of four */
        {BYTES("\xf4\x8f\xbf\xbf"), true}, /* U+10FFFF, the last of all */
        {BYTES("山\xf0\xa0\x80\x8b"), true},

        {BYTES("\0"), false},
        {BYTES("a\0b"), false},
        {BYTES("\x01"), false},
        {BYTES("\x0b"), false},
        {BYTES("\x1f"), false},
        {BYTES("\x80"), false}, /* a continuation without a start */
        {BYTES("\xbf"), false},
        {BYTES("\xc0\x80"), false}, /* overlong NUL */
        {BYTES("\xc1\xbf"), false},
        {BYTES("\xe0\x80\xaf"), false}, /* overlong slash */
        {BYTES("\xe0\x9f\xbf"), false},
        {BYTES("\xf0\x80\x80\xaf"), false},
        {BYTES("\xf0\x8f\xbf\xbf"), false},
        {BYTES("\xed\xa0\x80"), false},             /* U+D800 */
        {BYTES("\xed\xbf\xbf"), false},             /* U+DFFF */
        {BYTES("\xed\xa0\xbd\xed\xb8\x80"), false}, /* a pair of surrogates: CESU-8 */
        {BYTES("\xef\xbf\xbe"), false},             /* U+FFFE */
        {BYTES("\xef\xbf\xbf"), false},             /* U+FFFF */
        {BYTES("\xf4\x90\x80\x80"), false},         /* U+110000 */
        {BYTES("\xf8\x88\x80\x80\x80"), false},     /* five bytes */
        {BYTES("\xfe"), false},
        {BYTES("\xff"), false},
        {BYTES("\xc2"), false}, /* cut short */
        {BYTES("\xe5\xb1"), false},
        {BYTES("\xf0\x90\x80"), false},
        {BYTES("\xc2z"), false}, /* not continued */
        {BYTES("\xe5\xb1z"), false},
        {BYTES("ok until \xe5\xb1"), false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_integer(rows[i].bytes, text_is_valid(rows[i].bytes, rows[i].length), rows[i].want);
}

/* The bytes of a code point by RFC 3629, section 3, whether it is allowed or not. */
static size_t encode(uint32_t code, char bytes[static 4])
{
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char starts[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(starts[length] | code);
    return length;
}

/* Char of XML 1.0, section 2.2, as it stands there. */
static bool is_char(uint32_t code)
{
    return code == 0x9 || code == 0xA || code == 0xD || (code >= 0x20 && code <= 0xD7FF) ||
           (code >= 0xE000 && code <= 0xFFFD) || (code >= 0x10000 && code <= 0x10FFFF);
}

static void every_code_point(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x1fffff; code++) {
        char bytes[4];
        size_t length = encode(code, bytes);
        if (text_is_valid(bytes, length) != is_char(code))
            fail_msg("U+%04X", code);
        if (length > 1 && text_is_valid(bytes, length - 1))
            fail_msg("U+%04X without its last byte", code);
    }
}

static void characters(void **state)
{
    static const struct {
        const char *text;
        size_t want;
    } rows[] = {
        {"", 0}, {"abc", 3}, {"登山", 2}, {"\xf0\xa0\x80\x8b", 1}, {"é\r\n", 3}, {"e\xcc\x81", 2},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_integer(rows[i].text, text_characters(rows[i].text), rows[i].want);
}

static void lines(void **state)
{
    static const struct {
        const char *text;
        int64_t least, most;
        bool want;
    } rows[] = {
        {"", 0, 5, true},        {"", 1, 5, false},
        {"a", 1, 5, true},       {"12345", 1, 5, true},
        {"123456", 1, 5, false}, {"登山到墾丁", 1, 5, true},
        {"a\tb", 1, 5, true},    {"a\nb", 1, 5, false},
        {"a\rb", 1, 5, false},   {"\n", 1, 5, false},
        {"a\xff", 1, 5, false},  {"\xef\xbf\xbe", 1, 5, false},
        {" ", 1, 5, true},       {"登山到墾丁了", 1, 5, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_integer(rows[i].text, text_is_line(rows[i].text, rows[i].least, rows[i].most),
                       rows[i].want);
}

static void integers(void **state)
{
    static const struct {
        const char *text;
        bool is_one;
        int64_t want;
    } rows[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"7", true, 7},
        {"-7", true, -7},
        {"007", true, 7},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"00000000000000000000000000000001", true, 1},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"99999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"--1", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1\n", false, 0},
        {"1.0", false, 0},
        {"1e3", false, 0},
        {"0x10", false, 0},
        {"1,000", false, 0},
        {"１", false, 0},
        {"nan", false, 0},
        {"inf", false, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t value = 0;
        expect_integer(rows[i].text, text_to_integer(rows[i].text, &value), rows[i].is_one);
        expect_integer(rows[i].text, value, rows[i].want);
    }
}

static void decimals(void **state)
{
    static const struct {
        const char *text;
        bool want;
    } rows[] = {
        {"0", true},    {"-0", true},    {"25.0330", true}, {"-25.0330", true}, {"007.500", true},
        {"", false},    {"-", false},    {".", false},      {".5", false},      {"5.", false},
        {"-.5", false}, {"+5", false},   {"1.2.3", false},  {"1,5", false},     {"1e3", false},
        {"0x1", false}, {" 1", false},   {"1 ", false},     {"nan", false},     {"inf", false},
        {"--1", false}, {"1.-2", false}, {"1.5f", false},   {"1.5\n", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_integer(rows[i].text, text_is_decimal(rows[i].text), rows[i].want);
}

static void integers_written(void **state)
{
    static const struct {
        int64_t value;
        const char *want;
    } rows[] = {
        {0, "0"},
        {7, "7"},
        {-1, "-1"},
        {10, "10"},
        {1234567890123, "1234567890123"},
        {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "-9223372036854775808"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[TEXT_INTEGER_SIZE];
        assert_ptr_equal(text_from_integer(rows[i].value, text), text);
        assert_string_equal(text, rows[i].want);
    }
}

static void emails(void **state)
{
    static const struct {
        const char *text;
        bool is_email;
    } rows[] = {
        {"a@b", true},
        {"user+tag@example.org", true},
        {"\"quoted\"@example.org", true},
        {"-oQ@example.org", true},
        {"a|b%c@example.org", true},
        {"a\"b@c", false},
        {"a\"b\"@c", false},
        {"\"a\"b@c", false},
        {"\"a\"\"b\"@c", false},
        {"\"\"@c", false},
        {"\"@c", false},
        {"a@b\"c", false},
        {"a@\"b\"", false},
        {"\"a@b\"", false},
        {"", false},
        {"@", false},
        {"a@", false},
        {"@b", false},
        {"notanemail", false},
        {"a@b@c", false},
        {"a b@c", false},
        {"a@b\n", false},
        {"a@b,c", false},
        {"<a@b>", false},
        {"a@b;c", false},
        {"a:b@c", false},
        {"a(b@c", false},
        {"a)b@c", false},
        {"a[b@c", false},
        {"a]b@c", false},
        {"a\\b@c", false},
        {"a@[127.0.0.1]", false},
        {"\xc3\xa4@b", false},
        {"a@b\x7f", false},
    };
    char longest[TEXT_EMAIL_MOST + 2];
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_integer(rows[i].text, text_is_email(rows[i].text), rows[i].is_email);
    memset(longest, 'a', sizeof longest);
    longest[1] = '@';
    longest[TEXT_EMAIL_MOST + 1] = '\0';
    assert_false(text_is_email(longest));
    longest[TEXT_EMAIL_MOST] = '\0';
    assert_true(text_is_email(longest));
}

static void characters_one_by_one(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        uint32_t code;
        bool controls;
    } rows[] = {
        {"a", 1, 'a', false},
        {"\t", 1, '\t', true},
        {"\x7f", 1, 0x7f, true},
        {"\xc2\x9b", 2, 0x9b, true},
        {"\xc2\xa0", 2, 0xa0, false},
        {"\xd8\x9c", 2, 0x61c, true},
        {"\xe2\x80\x8d", 3, 0x200d, false},
        {"\xe2\x80\x8e", 3, 0x200e, true},
        {"\xe2\x80\xae", 3, 0x202e, true},
        {"\xe2\x81\xa6", 3, 0x2066, true},
        {"\xe2\x81\xaa", 3, 0x206a, false},
        {"\xf0\x9f\x8f\x94", 4, 0x1f3d4, false},
        {"\xff", 1, 0xfffd, true},
        {"\xe2\x80", 1, 0xfffd, true},
        {"\xc3", 1, 0xfffd, true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t code = 0;
        bool controls = !rows[i].controls;
        expect_integer(rows[i].text, text_next(rows[i].text, &code, &controls), rows[i].length);
        expect_integer(rows[i].text, code, rows[i].code);
        expect_integer(rows[i].text, controls, rows[i].controls);
    }
}

static void texts_that_can_be_seen(void **state)
{
    static const struct {
        const char *text;
        bool can_be_seen;
    } rows[] = {
        {"", false},
        {" \t\r\n", false},
        {"\xe2\x80\x8b\xe3\x85\xa4\xe2\xa0\x80\xf3\xa0\x80\xa0", false},
        {"a", true},
        {" \xe2\x80\x8b山", true},
        {"\xcc\x81", true}, /* an accent alone */
        {"\xe2\xa0\x81", true},
        {"\xf4\x8f\xbf\xbd", true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_integer(rows[i].text, text_can_be_seen(rows[i].text), rows[i].can_be_seen);
}

/* The numbers of those that Perl, which knows the properties by their names, calls white space or
 * invisible. */
#define UNSEEN_BY_PERL                                 \
    "perl -e 'for (1 .. 0xd7ff, 0xe000 .. 0x10ffff) {" \
    "print \"$_\\n\" if chr =~ "                       \
    "/[\\p{White_Space}\\p{Default_Ignorable_Code_Point}\\x{2800}]/ }'"

static uint32_t next_number(FILE *file)
{
    char line[TEXT_INTEGER_SIZE + 1];
    return fgets(line, sizeof line, file) != NULL ? (uint32_t)strtoul(line, NULL, 10) : UINT32_MAX;
}

static void every_code_point_that_is_unseen(void **state)
{
    enum { NOT_FOUND = 127 }; /* exit status of the shell */
    uint32_t wrong = 0;
    FILE *perl = popen(UNSEEN_BY_PERL, "r");
    (void)state;
    assert_non_null(perl);
    uint32_t unseen = next_number(perl);
    for (uint32_t code = 1; code <= 0x10ffff; code++) {
        char bytes[5] = "";
        encode(code, bytes);
        bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
        if (!is_surrogate && text_can_be_seen(bytes) != (code != unseen) && wrong == 0)
            wrong = code;
        if (code == unseen)
            unseen = next_number(perl);
    }
    int status = pclose(perl);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        skip();
    assert_int_equal(status, 0);
    if (wrong != 0)
        fail_msg("U+%04X", wrong);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(emails),
        cmocka_unit_test(characters_one_by_one),
        cmocka_unit_test(integers_written),
        cmocka_unit_test(valid_text),
        cmocka_unit_test(every_code_point),
        cmocka_unit_test(texts_that_can_be_seen),
        cmocka_unit_test(every_code_point_that_is_unseen),
        cmocka_unit_test(characters),
        cmocka_unit_test(lines),
        cmocka_unit_test(integers),
        cmocka_unit_test(decimals),
    };
    return RUN_TESTS(tests);
}
