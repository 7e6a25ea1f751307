/*
 * Texts that have a word of the operator's list, and are held back until an administrator has
 * decided.
 */
#ifndef MAPDIARY_API_HELD_H
#define MAPDIARY_API_HELD_H

#include "api/operation.h"

struct held_text {
    const char *text; /* NULL: none was given */
    bool is_html;
};

/** Looks for the words in texts that the call's batch is about to write. True if a text has a word:
 * then the batch holds the texts back and reports the word to the administrators. */
bool held_back(struct call *call, const struct held_text *texts, size_t count);
#define HELD_BACK(call, ...)                                   \
    held_back((call), (const struct held_text[]){__VA_ARGS__}, \
              sizeof((const struct held_text[]){__VA_ARGS__}) / sizeof(struct held_text))

#endif
