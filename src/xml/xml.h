/*
 * XML documents of the interface, written element by element after what a buffer holds. Mini-XML
 * says what stands for a character that XML wants otherwise: xml.c is the only file that knows of
 * it.
 *
 * Text must be valid (base/text.h), names are ours. A CR in a text is written as a character
 * reference, as an XML parser would otherwise read a line feed (XML 1.0, section 2.11). There is no
 * white space between elements. Whoever starts an element ends it.
 */
#ifndef MAPDIARY_XML_XML_H
#define MAPDIARY_XML_XML_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/** The declaration that stands before the root of a document. */
extern const char xml_declaration[];

void xml_start(struct buffer *out, const char *name);
void xml_end(struct buffer *out, const char *name);
/** A list's item: the name and a 1-based position, "album1". */
void xml_start_item(struct buffer *out, const char *name, size_t position);
void xml_end_item(struct buffer *out, const char *name, size_t position);

/* Each adds an element as a whole. */
/** NULL and "" are written as an empty element. */
void xml_add_text(struct buffer *out, const char *name, const char *text);
void xml_add_integer(struct buffer *out, const char *name, int64_t value);
/** At least two digits: 03. */
void xml_add_two_digits(struct buffer *out, const char *name, int value);

#endif
