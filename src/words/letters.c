#include "words/letters.h"

#include <ctype.h>
#include <utf8proc.h>

#include "words/markup.h"

/* A character becomes so many letters at most. One that would become more is no letter: no word has
 * U+FDFA, which is eighteen. */
enum { PARTS_MOST = 4 };

struct reading {
    struct letters *letters;
    bool has_gap, is_apart; /* before the next letter */
};

struct range {
    uint32_t first, last;
};

static bool is_within(uint32_t code, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}
#define IS_WITHIN(code, ranges) is_within((code), (ranges), sizeof(ranges) / sizeof *(ranges))

bool letter_is_east_asian(uint32_t code)
{
    static const struct range east_asian[] = {
        {0x1100, 0x11ff}, {0x2e80, 0xd7ff}, {0xf900, 0xfaff}, {0x20000, 0x3ffff}};
    return code >= east_asian[0].first && IS_WITHIN(code, east_asian);
}

bool letter_continues(uint32_t code)
{
    return (code >= 0x1161 && code <= 0x11ff) || code == 0x3099 || code == 0x309a;
}

/* Marks of any script: Combining Diacritical Marks, Extended, Supplement, for Symbols, Half. */
static bool is_mark(uint32_t code)
{
    static const struct range marks[] = {
        {0x0300, 0x036f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe20, 0xfe2f}};
    return IS_WITHIN(code, marks);
}

static bool is_filler(uint32_t code)
{
    return code == 0x115f || code == 0x1160;
}

/* Invisible characters beside marks and fillers: inherent vowels of Khmer, variation selectors, a
 * pattern of Braille without dots, tags, and category Cf. */
static bool is_unseen(uint32_t code)
{
    static const struct range unseen[] = {{0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x2800, 0x2800},
                                          {0xfe00, 0xfe0f}, {0xfff0, 0xfff8}, {0xe0000, 0xe0fff}};
    return IS_WITHIN(code, unseen) ||
           utf8proc_category((utf8proc_int32_t)code) == UTF8PROC_CATEGORY_CF;
}

/* Letters, digits, and the marks that only some scripts have, without which a word is another. */
static bool is_letter(uint32_t code)
{
    enum {
        LETTERS = 1 << UTF8PROC_CATEGORY_LU | 1 << UTF8PROC_CATEGORY_LL |
                  1 << UTF8PROC_CATEGORY_LT | 1 << UTF8PROC_CATEGORY_LM |
                  1 << UTF8PROC_CATEGORY_LO | 1 << UTF8PROC_CATEGORY_ND,
        MARKS = 1 << UTF8PROC_CATEGORY_MN | 1 << UTF8PROC_CATEGORY_MC | 1 << UTF8PROC_CATEGORY_ME,
    };
    return (1 << utf8proc_category((utf8proc_int32_t)code) & (LETTERS | MARKS)) != 0;
}

static void add(struct reading *reading, uint32_t code)
{
    struct letters *letters = reading->letters;
    if (code == LETTER_BETWEEN && letters->count > 0 &&
        letters->list[letters->count - 1].code == LETTER_BETWEEN)
        return;
    letters->list[letters->count++] = (struct letter){code, reading->has_gap, reading->is_apart};
    reading->has_gap = reading->is_apart = false;
}

/* Letters that Unicode does not decompose, and how they are written without their stroke. */
static const struct plain {
    uint32_t code;
    char letters[3];
} plains[] = {
    {0xe6, "ae"}, {0xf0, "d"},  {0xf8, "o"},  {0xfe, "th"},  {0x111, "d"},
    {0x127, "h"}, {0x131, "i"}, {0x142, "l"}, {0x153, "oe"}, {0x167, "t"},
};

static void add_letter(struct reading *reading, uint32_t code)
{
    const char *letters = NULL;
    for (size_t i = 0; i < sizeof plains / sizeof *plains && letters == NULL; i++)
        if (plains[i].code == code)
            letters = plains[i].letters;
    if (letters == NULL)
        add(reading, code);
    for (; letters != NULL && *letters != '\0'; letters++)
        add(reading, (unsigned char)*letters);
}

static void take_part(struct reading *reading, uint32_t code)
{
    if (is_mark(code))
        return;
    if (is_filler(code))
        reading->has_gap = reading->is_apart = true;
    else if (is_unseen(code))
        reading->has_gap = true;
    else if (is_letter(code))
        add_letter(reading, code);
    else
        add(reading, LETTER_BETWEEN);
}

static void take(struct reading *reading, int32_t code)
{
    utf8proc_int32_t parts[PARTS_MOST];
    int boundary = 0;
    if (code < 0x80) {
        add(reading, isalnum(code) ? (uint32_t)tolower(code) : LETTER_BETWEEN);
        return;
    }
    utf8proc_ssize_t count = utf8proc_decompose_char(
        code, parts, PARTS_MOST, UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD,
        &boundary);
    if (count < 0 || count > PARTS_MOST)
        add(reading, LETTER_BETWEEN);
    else
        for (utf8proc_ssize_t i = 0; i < count; i++)
            take_part(reading, (uint32_t)parts[i]);
}

/* A reference to a character has more bytes than the character has letters. */
static size_t most_letters(const char *text)
{
    size_t most = 0;
    for (; *text != '\0'; text++)
        most += (*text & 0x80) == 0 ? 1 : (*text & 0xc0) == 0xc0 ? PARTS_MOST : 0;
    return most;
}

struct letters letters_read(struct arena *arena, const char *text, bool is_html)
{
    struct letters letters = {
        .list = arena_take_array(arena, most_letters(text), sizeof *letters.list)};
    struct reading reading = {.letters = &letters};
    struct markup markup = markup_of(text, is_html);
    int32_t code;
    while ((code = markup_next(&markup)) != MARKUP_END)
        if (code == MARKUP_GAP)
            reading.has_gap = reading.is_apart = true;
        else
            take(&reading, code);
    return letters;
}
