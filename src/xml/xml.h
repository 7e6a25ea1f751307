/*
 * XML documents of the interface, through Mini-XML: the only file that knows of it.
 *
 * Text must be valid (base/text.h). A CR in it is written as a character reference, as an XML
 * parser would otherwise read a line feed (XML 1.0, section 2.11). Memory is there or the process
 * ends, as everywhere (base/memory.h).
 */
#ifndef MAPDIARY_XML_XML_H
#define MAPDIARY_XML_XML_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* An element. It belongs to its parent, and all of them to the root. */
struct xml_element;

/** The declaration that stands before the root of a document. */
extern const char xml_declaration[];

/** A root element. Free it, and all below it, with xml_free(). */
struct xml_element *xml_root(const char *name) __attribute__((returns_nonnull));
/** The same for a list's item on its own: the name and a 1-based position, "album1". */
struct xml_element *xml_root_item(const char *name, size_t position)
    __attribute__((returns_nonnull));
/** Frees a root and sets the pointer to NULL; a NULL inside is fine. */
void xml_free(struct xml_element **root);

/* Each adds an element after the parent's last child. */
struct xml_element *xml_add(struct xml_element *parent, const char *name)
    __attribute__((returns_nonnull));
/** A list's item, as xml_root_item(). */
struct xml_element *xml_add_item(struct xml_element *list, const char *name, size_t position)
    __attribute__((returns_nonnull));
/** NULL and "" are written as an empty element. */
void xml_add_text(struct xml_element *parent, const char *name, const char *text);
void xml_add_integer(struct xml_element *parent, const char *name, int64_t value);
/** At least two digits: 03. */
void xml_add_two_digits(struct xml_element *parent, const char *name, int value);

/** Appends the element and all below it, without a declaration and without white space that nobody
 * put in. */
void xml_write(struct xml_element *root, struct buffer *out);

/* For a list that is written item by item: the tags around it, by hand. */
void xml_write_start(struct buffer *out, const char *name);
void xml_write_end(struct buffer *out, const char *name);

#endif
