/*
 * A document: an answer in one of its formats, made of a struct and its shape. It is begun by the
 * first item of a list that is streamed, or by document_finish().
 */
#ifndef MAPDIARY_DOCUMENT_DOCUMENT_H
#define MAPDIARY_DOCUMENT_DOCUMENT_H

#include "document/format.h"

/* Made by document_new(). The struct that is answered is complete, but for what is streamed, when
 * the first item comes, and stays where it is. */
struct document {
    const struct format *format;
    const struct field *shape;
    const void *output;           /* the struct */
    const struct field *streamed; /* the row that is; NULL until its first item */
    size_t count;                 /* of its items */
    struct writing writing;
};

/** A document of SUCCESS; a NULL shape is that of an answer with nothing more. */
struct document document_new(const struct format *format, const struct field *shape,
                             const void *output, struct buffer *out);

/** Writes the next item of the list that is streamed, and what stands before the first. */
void document_item(struct document *document, const void *item);

/** Writes all that is left. */
void document_finish(struct document *document);

/** Frees a document that is not finished; else does nothing. What it has written stays. */
void document_drop(struct document *document);

/** Writes a whole document of FAILED, in format_of_refusals(). */
void document_refuse(const struct format *format, const char *info, struct buffer *out);

#endif
