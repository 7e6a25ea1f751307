/*
 * The letters of a text as words are compared: after Unicode's compatibility decomposition and case
 * folding (UAX #15, UAX #44), and without invisible characters and the marks of any script. Hangul
 * syllables become their letters.
 */
#ifndef MAPDIARY_WORDS_LETTERS_H
#define MAPDIARY_WORDS_LETTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* In the place of all that is no letter and no digit, however much of it is there in a row. */
enum { LETTER_BETWEEN = ' ' };

struct letter {
    uint32_t code;
    bool has_gap;  /* an invisible character or a tag stands before it */
    bool is_apart; /* a tag or a filler stands there: a word may begin or end here */
};

struct letters {
    struct letter *list; /* in the arena */
    size_t count;
};

/** Reads valid UTF-8, or HTML as markup.h has it. The letters are at most four times as many as the
 * characters of the text. */
struct letters letters_read(struct arena *arena, const char *text, bool is_html);

/** True for a letter of a script that has no blanks between its words, or of Korean, in which a
 * word takes endings: a word in such letters begins and ends anywhere. */
bool letter_is_east_asian(uint32_t code);

/** True for what belongs to the letter before: a vowel or the end of a Hangul syllable, and the
 * marks that make another letter of a kana. */
bool letter_continues(uint32_t code);

#endif
