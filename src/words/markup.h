/*
 * The visible characters of HTML. Tags, comments and references to invisible characters are gaps
 * between characters. This is no parser of HTML: an unfinished tag or comment and an unknown
 * reference are text.
 */
#ifndef MAPDIARY_WORDS_MARKUP_H
#define MAPDIARY_WORDS_MARKUP_H

#include <stdbool.h>
#include <stdint.h>

enum { MARKUP_END = -1, MARKUP_GAP = -2 };

struct markup {
    const char *at; /* what was not read yet */
    bool is_plain;  /* no HTML: each character is itself */
    /* Behind this place nothing ends a comment, or an attribute in such quotes. So the time to read
     * a text grows with its length alone. */
    bool no_comment_ends, no_double_quote, no_single_quote;
};

/** Begins to read valid UTF-8, which must outlive the struct. */
struct markup markup_of(const char *text, bool is_html);
/** The next code point, MARKUP_GAP, or MARKUP_END from the end on. */
int32_t markup_next(struct markup *markup);

#endif
