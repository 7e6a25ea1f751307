/*
 * An operator's list of words that hold a text back, and the search for them in a text. A list is a
 * trie, so the time of a search does not grow with the number of words.
 */
#ifndef MAPDIARY_WORDS_LIST_H
#define MAPDIARY_WORDS_LIST_H

#include "base/arena.h"
#include "words/letters.h"

struct word_list;

/** Reads valid UTF-8 with a word, or some words with blanks between them, on each line. A line
 * without a letter is none. NULL if no line has one. The list is in the arena. */
struct word_list *word_list_read(struct arena *arena, const char *text);

/**
 * The line of the first word in the letters, or NULL. Of words that begin at one place, a longer
 * word is answered. No letter stands beside the word. East Asian words begin and end anywhere, and
 * after any East Asian letter another word may begin. Between the words of a line, anything may
 * stand that is no letter.
 */
const char *word_list_find(const struct word_list *list, const struct letters *letters);

#endif
