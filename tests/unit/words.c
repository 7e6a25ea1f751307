#include "words/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static const char listed[] =
    "Casino\r\n\n博弈網站\n  scheiße \nbuy now\n가나\nガチャ\nAT&T\n!\nthis and that\nthis";

/* What nobody sees, and is not between two words either: soft hyphen, joiner of graphemes, Arabic
 * letter mark, fillers, vowels and selectors that have no shape, controls of direction, tags. */
#define UNSEEN                                                                                   \
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u180e\u200b\u200e\u2062\u20d0\u2800\u3164\ufe0f\ufeff" \
    "\U000e0061\U000e0100"

static struct arena *arena;
static struct word_list *list;

static int begin(void **state)
{
    (void)state;
    arena = arena_new();
    list = word_list_read(arena, listed);
    return list == NULL;
}

static int end(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

static const char *found(const char *text, bool is_html)
{
    struct letters letters = letters_read(arena, text, is_html);
    return word_list_find(list, &letters);
}

static const char *or_none(const char *word)
{
    return word != NULL ? word : "none";
}

static void check(const char *text, bool is_html, const char *want)
{
    const char *got = found(text, is_html);
    if (strcmp(or_none(got), or_none(want)) != 0)
        fail_msg("'%s' has %s, not %s", text, or_none(got), or_none(want));
}

static void how_a_word_may_be_written(void **state)
{
    static const struct {
        const char *text, *word;
    } rows[] = {
        {"a casino b", "Casino"},
        {"CASINO!", "Casino"},
        {"casinos", NULL},
        {"xcasino", NULL},
        {"ca sino", NULL},
        {"賭casino賭", "Casino"},
        {"한casino글", "Casino"},
        {"ｃａｓｉｎｏ", "Casino"},
        {"𝐂𝐚𝐬𝐢𝐧𝐨", "Casino"},
        {"ⓒⓐⓢⓘⓝⓞ", "Casino"},
        {"càsıñø", "Casino"},
        {"ca\u0301\u0327sino", "Casino"},
        {"c" UNSEEN "asino", "Casino"},
        {UNSEEN "casino" UNSEEN, "Casino"},
        {"x\u200bcasino", NULL},
        {"ﷺ casino", "Casino"},
        {"ﷺcasino", "Casino"},
        {"сasino", NULL}, /* the first letter is Cyrillic */
        {"最好的博弈網站!", "博弈網站"},
        {"博弈 網站", NULL},
        {"博\ufe0f弈網站", "博弈網站"},
        {"SCHEISSE", "scheiße"},
        {"Scheiẞe", "scheiße"},
        {"Buy,  now", "buy now"},
        {"buy\u200bnow", "buy now"},
        {"buynow", NULL},
        {"buy it now", NULL},
        {"가나", "가나"},
        {"가나다", "가나"},
        {"가난", NULL},
        {"ｶﾞﾁｬ", "ガチャ"},
        {"カチャ", NULL},
        {"at&t", "AT&T"},
        {"this", "this"},
        {"this and that", "this and that"},
        {"this and then", "this"},
        {"", NULL},
        {" ! ", NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check(rows[i].text, false, rows[i].word);
}

static void markup_does_not_hide_a_word(void **state)
{
    static const char *const rows[] = {
        "c&#97;sino",        "c&#x61;sino",        "c&#X0061sino",
        "c&shy;asino",       "c&aacute;sino",      "c&#8203;asino",
        "c<!-- > -->asino",  "c<x></x>asino",      "c<img alt='>'>asino",
        "<p>casino</p>x",    "x<p>casino",         "&#;casino",
        "&#99999999;casino", "&#xd800;casino",     "&&amp;casino",
        "<b>CASINO",         "&nbsp;casino",       "< casino",
        "<!-- casino",       "<a title=\"casino",  "c<a href=\"'>\">asino",
        "casin&oslash;",     "<!--x--><!--casino",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check(rows[i], true, "Casino");
    check("<p title='casino'>", true, NULL);
    check("<!-- casino -->", true, NULL);
    check("c&unknown;asino", true, NULL);
    check("buy<br>now", true, "buy now");
    check("buy&nbsp;now", true, "buy now");
    check("c&#97;sino", false, NULL);
}

/* In a text of so many bytes, the time for which grows no faster than the text. */
static char *repeated(const char *part, size_t length)
{
    char *text = arena_take(arena, length + strlen(part) + 1);
    for (size_t at = 0; at < length; at += strlen(part))
        strcpy(text + at, part);
    return text;
}

static void long_texts(void **state)
{
    static const char *const parts[] = {
        "<!--", "<a'", "<a\"", "<a\"<b'", "<a '\" ",   "&#",        "\u0301\u0327",
        "ﷺ",    "㎯",  "가",   "casin ",  "buy\u200b", "this and ",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(parts); i++) {
        char *text = repeated(parts[i], 400000);
        struct letters letters = letters_read(arena, text, true);
        assert_true(letters.count <= 4 * strlen(text));
        const char *word = word_list_find(list, &letters);
        assert_true(word == NULL || strcmp(word, "this") == 0);
        check(arena_format(arena, "%s. casino", text), true, word != NULL ? word : "Casino");
        arena_reset(arena);
        list = word_list_read(arena, listed);
    }
}

static void many_words(void **state)
{
    (void)state;
    char lines[65536] = "";
    for (int i = 0; i < 6000; i++)
        sprintf(lines + strlen(lines), "word%d\n", i);
    struct word_list *many = word_list_read(arena, lines);
    for (int i = 0; i < 6100; i += 50) {
        char *word = arena_format(arena, "word%d", i);
        struct letters letters = letters_read(arena, arena_format(arena, "a %s b", word), false);
        const char *got = word_list_find(many, &letters);
        assert_true(i < 6000 ? got != NULL && strcmp(got, word) == 0 : got == NULL);
    }
}

static void lists_without_a_word(void **state)
{
    (void)state;
    assert_null(word_list_read(arena, ""));
    assert_null(word_list_read(arena, "\n \n!\n\u200b\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(how_a_word_may_be_written, begin, end),
        cmocka_unit_test_setup_teardown(markup_does_not_hide_a_word, begin, end),
        cmocka_unit_test_setup_teardown(long_texts, begin, end),
        cmocka_unit_test_setup_teardown(many_words, begin, end),
        cmocka_unit_test_setup_teardown(lists_without_a_word, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
