/*
 * How long texts are, in characters.
 */
#ifndef MAPDIARY_MODEL_TEXT_H
#define MAPDIARY_MODEL_TEXT_H

#include "base/value.h"

/* A title or a name: one line, of at least one character. */
enum { TEXT_LINE_MOST = 255 };
#define LINE_RANGE RANGE(1, TEXT_LINE_MOST)

/* An address or a short description, which may be empty. */
enum { TEXT_NOTE_MOST = 2000 };
#define NOTE_RANGE RANGE(0, TEXT_NOTE_MOST)

/* The content of a blog or a comment: at least one character. */
enum { TEXT_BODY_MOST = 100000 };
#define BODY_RANGE RANGE(1, TEXT_BODY_MOST)

#endif
