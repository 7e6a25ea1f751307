#include "base/value.h"

#include <string.h>

#include "unit.h"

static const char *const formats[] = {"csv", "geojson", NULL};
static const char *const subjects[] = {"album", "poi", "blog", NULL};

static bool is_even(const char *text)
{
    return strlen(text) % 2 == 0;
}

static const struct value_form even = {.what = "a text of even length", .fits = is_even};

static const struct value_type flag = {.kind = VALUE_FLAG};
static const struct value_type text = {VALUE_TEXT, RANGE(0, 3)};
static const struct value_type line = {VALUE_LINE, RANGE(1, 3)};
static const struct value_type seen_line = {VALUE_LINE, RANGE(1, 3), .seen = true};
static const struct value_type seen_text = {VALUE_TEXT, RANGE(1, 3), .seen = true};
static const struct value_type any_line = {VALUE_LINE, RANGE(1, INT64_MAX)};
static const struct value_type integer = {VALUE_INTEGER, RANGE(-2, 16)};
static const struct value_type id = {VALUE_INTEGER, ID_RANGE};
static const struct value_type octal = {VALUE_OCTAL, RANGE(0, 0777)};
static const struct value_type duration = {VALUE_DURATION, RANGE(0, INT64_MAX)};
static const struct value_type minutes = {VALUE_DURATION, RANGE(60000, 3600000)};
static const struct value_type any_size = {VALUE_SIZE, RANGE(0, 1LL << 50)};
static const struct value_type size = {VALUE_SIZE, RANGE(1 << 20, 1LL << 50)};
static const struct value_type latitude = {VALUE_COORDINATE, RANGE(-90, 90)};
static const struct value_type date = {.kind = VALUE_DATE};
static const struct value_type time_type = {.kind = VALUE_TIME};
static const struct value_type choice = {VALUE_CHOICE, .words = formats};
static const struct value_type level = {VALUE_CHOICE, .least = 3, .words = formats};
static const struct value_type subject = {VALUE_SUBJECT, .words = subjects};
static const struct value_type user = {.kind = VALUE_USER};
static const struct value_type email = {.kind = VALUE_EMAIL};
static const struct value_type address = {.kind = VALUE_ADDRESS};
static const struct value_type path = {.kind = VALUE_PATH};
static const struct value_type file = {.kind = VALUE_FILE};
static const struct value_type form = {VALUE_FORM, .form = &even};

enum { ANY = 1 << 30 }; /* the number says nothing */

static void what_is_taken(void **state)
{
    static const struct {
        const struct value_type *type;
        const char *text;
        int64_t number;
        int word;
    } rows[] = {
        {&flag, "", 1, 0},
        {&text, "", 0, 0},
        {&text, "登\n記", 3, 0},
        {&line, "登\t記", 3, 0},
        {&line, " ", 1, 0},
        {&seen_line, " 記 ", 3, 0},
        {&seen_text, "\n記\n", 3, 0},
        {&integer, "-2", -2, 0},
        {&integer, "0016", 16, 0},
        {&id, "9223372036854775807", INT64_MAX, 0},
        {&octal, "660", 0660, 0},
        {&octal, "00777", 0777, 0},
        {&duration, "0ms", 0, 0},
        {&duration, "1ms", 1, 0},
        {&duration, "30 s", 30000, 0},
        {&duration, "15m", 900000, 0},
        {&duration, "24h", 86400000, 0},
        {&duration, "30d", 2592000000, 0},
        {&duration, "007s", 7000, 0},
        {&duration, "106751991167d", 106751991167 * 86400000, 0},
        {&minutes, "60000ms", 60000, 0},
        {&any_size, "0", 0, 0},
        {&any_size, "0B", 0, 0},
        {&size, "1024KiB", 1 << 20, 0},
        {&size, "1024TiB", 1LL << 50, 0},
        {&latitude, "-90.000", ANY, 0},
        {&date, "2024-02-29", ANY, 0},
        {&time_type, "0", 0, 0},
        {&time_type, "1770091506", 1770091506, 0},
        {&time_type, "253402300799", 253402300799, 0},
        {&time_type, "2026-02-03T04:05:06Z", 1770091506, 0},
        {&time_type, "9999-12-31T23:59:59Z", 253402300799, 0},
        {&time_type, "1969-12-31T23:59:59Z", -1, 0},
        {&time_type, "0001-01-01T00:00:00Z", -62135596800, 0},
        {&choice, "csv", 0, 0},
        {&choice, "geojson", 1, 1},
        {&level, "geojson", 4, 1},
        {&subject, "album:7", 7, 0},
        {&subject, "blog:9223372036854775807", INT64_MAX, 2},
        {&user, "7", 7, 0},
        {&user, "地@example.org", ANY, 0},
        {&email, "a@example.org", ANY, 0},
        {&address, "unix:/run/x", ANY, 0},
        {&address, "[::1]:9000", ANY, 0},
        {&path, "\xff", ANY, 0},
        {&form, "", ANY, 0},
        {&form, "ab", ANY, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct typed_value got = {.number = ANY};
        expect_integer(rows[i].text, value_read_bytes(rows[i].type, rows[i].text, &got), STATUS_OK);
        expect_text(rows[i].text, got.text, rows[i].text);
        expect_integer(rows[i].text, got.number, rows[i].number);
        expect_integer(rows[i].text, got.word, rows[i].word);
    }
}

static void what_is_refused(void **state)
{
    static const struct {
        const struct value_type *type;
        const char *text;
    } rows[] = {
        {&flag, "x"},
        {&text, "四個字了"},
        {&text, "\xff"},
        {&text, "\x01"},
        {&line, ""},
        {&line, "four"},
        {&line, "a\n"},
        {&line, "a\r"},
        {&line, "\xc0\xaf"},
        {&seen_line, " "},
        {&seen_line, "\xe2\xa0\x80"},
        {&seen_line, "記\n"},
        {&seen_line, "記記記記"},
        {&seen_text, " \n\xe2\x80\x8b"},
        {&integer, "-3"},
        {&integer, "17"},
        {&integer, ""},
        {&integer, " 1"},
        {&integer, "+1"},
        {&integer, "1.0"},
        {&id, "9223372036854775808"},
        {&octal, ""},
        {&octal, "8"},
        {&octal, "-1"},
        {&octal, "1000"},
        {&octal, "000660"},
        {&duration, "106751991168d"},
        {&duration, "9223372036854775807ms"},
        {&duration, ""},
        {&duration, "30"},
        {&duration, "d"},
        {&duration, " 30d"},
        {&duration, "30d "},
        {&duration, "30w"},
        {&duration, "30D"},
        {&minutes, "59s"},
        {&minutes, "3601s"},
        {&any_size, "1"},
        {&size, "0"},
        {&size, "1023KiB"},
        {&size, "1025TiB"},
        {&size, "2GB"},
        {&latitude, "90.1"},
        {&latitude, "x"},
        {&date, "2023-02-29"},
        {&date, "2024-2-29"},
        {&date, "2024-02-29 "},
        {&time_type, "-1"},
        {&time_type, "253402300800"},
        {&time_type, "2026-02-03"},
        {&time_type, "2026-02-03T04:05:06"},
        {&time_type, "2026-02-03T04:05:06Zz"},
        {&time_type, "2026-02-03 04:05:06Z"},
        {&time_type, "2026-02-03T24:00:00Z"},
        {&time_type, "2026-02-03T04:60:00Z"},
        {&time_type, "2026-02-30T04:05:06Z"},
        {&choice, ""},
        {&choice, "cs"},
        {&choice, "csvs"},
        {&choice, "CSV"},
        {&subject, "album"},
        {&subject, "album:"},
        {&subject, "album:0"},
        {&subject, "album:x"},
        {&subject, "albu:7"},
        {&subject, "albums:7"},
        {&subject, ":7"},
        {&user, ""},
        {&user, "0"},
        {&user, "-1"},
        {&user, "somebody"},
        {&user, "a\n@b"},
        {&email, "a"},
        {&address, "localhost:9000"},
        {&address, ""},
        {&path, ""},
        {&file, ""},
        {&file, "/etc/passwd"},
        {&form, "abc"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct typed_value got;
        expect_integer(rows[i].text, value_read_bytes(rows[i].type, rows[i].text, &got),
                       STATUS_PARAMETER_INVALID);
    }
}

/* What a message says of each kind. */
static void how_they_are_described(void **state)
{
    static const struct {
        const struct value_type *type;
        const char *want;
    } rows[] = {
        {&flag, "nothing"},
        {&text, "a text of 0 to 3 characters"},
        {&line, "one line of 1 to 3 characters"},
        {&seen_line, "one line of 1 to 3 characters, one of which can be seen"},
        {&any_line, "one line of at least 1 characters"},
        {&integer, "an integer from -2 to 16"},
        {&id, "an integer of at least 1"},
        {&octal, "an octal number from 0000 to 0777"},
        {&duration, "a duration (ms, s, m, h, d) of at least 0ms"},
        {&minutes, "a duration (ms, s, m, h, d) from 1m to 1h"},
        {&size, "a size (B, KiB, MiB, GiB, TiB) from 1MiB to 1024TiB"},
        {&latitude, "decimal degrees from -90 to 90"},
        {&date, "a day of the calendar, as 2026-02-03"},
        {&time_type, "a time, as 2026-02-03T04:05:06Z or in seconds since the epoch"},
        {&choice, "one of csv, geojson"},
        {&subject, "a kind and an identifier: album:7, poi:7, blog:7"},
        {&user, "the identifier of a user, or an email address"},
        {&email, "one email address, in ASCII"},
        {&address, "unix:PATH, or ADDRESS:PORT"},
        {&path, "a path"},
        {&file, "a file"},
        {&form, "a text of even length"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer got = {0};
        value_describe(rows[i].type, &got);
        buffer_add(&got, "", 1);
        expect_text(rows[i].want, got.data, rows[i].want);
        buffer_free(&got);
    }
}

static void refusals(void **state)
{
    struct buffer told = {0}, untold = {0}, cut = {0};
    char long_text[1000];
    (void)state;
    assert_string_equal(value_refusal(&integer, "x", &told), "'x' is not an integer from -2 to 16");
    assert_string_equal(value_refusal(&integer, NULL, &untold), "not an integer from -2 to 16");
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    assert_non_null(strstr(value_refusal(&integer, long_text, &cut), "xx' is not an integer"));
    buffer_free(&told);
    buffer_free(&untold);
    buffer_free(&cut);
}

/* What is printed is read as what it was. */
static void numbers_are_printed(void **state)
{
    static const struct {
        const struct value_type *type;
        int64_t number;
        const char *want;
    } rows[] = {
        {&integer, -2, "-2"},
        {&octal, 0, "0000"},
        {&octal, 0660, "0660"},
        {&duration, 0, "0ms"},
        {&duration, 1500, "1500ms"},
        {&duration, 90000, "90s"},
        {&duration, 129600000, "36h"},
        {&size, 3 << 20, "3MiB"},
        {&time_type, 1770091506, "2026-02-03T04:05:06Z"},
        {&time_type, -62135596800, "0001-01-01T00:00:00Z"},
        {&time_type, 253402300799, "9999-12-31T23:59:59Z"},
        {&level, 3, "csv"},
        {&level, 4, "geojson"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buffer got = {0};
        struct typed_value again;
        value_print(rows[i].type, rows[i].number, &got);
        buffer_add(&got, "", 1);
        expect_text(rows[i].want, got.data, rows[i].want);
        expect_integer(rows[i].want, value_read(rows[i].type, got.data, &again), STATUS_OK);
        expect_integer(rows[i].want, again.number, rows[i].number);
        buffer_free(&got);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_taken),          cmocka_unit_test(what_is_refused),
        cmocka_unit_test(how_they_are_described), cmocka_unit_test(refusals),
        cmocka_unit_test(numbers_are_printed),
    };
    return RUN_TESTS(tests);
}
