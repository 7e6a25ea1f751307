/*
 * Writes JSON (RFC 8259) piece by piece, by yajl. In an object each value has a name; in an array
 * it has none (NULL).
 */
#ifndef MAPDIARY_DOCUMENT_JSON_H
#define MAPDIARY_DOCUMENT_JSON_H

#include <stdint.h>

#include "base/buffer.h"

struct json {
    void *generator;
    struct buffer *out;
};

/** Begins a document, each piece of which goes to the buffer at once. */
struct json json_new(struct buffer *out);
/** Has it written for people: a line a value, indented, and a line feed at the end. */
void json_indent(struct json *json);
/** Makes ready for another document, once this one is whole. */
void json_restart(struct json *json);
/** Ends it by a line feed, and frees it. */
void json_end(struct json *json);
/** Frees it where it comes to no end. */
void json_free(struct json *json);

void json_object(struct json *json, const char *name);
void json_end_object(struct json *json);
void json_array(struct json *json, const char *name);
void json_end_array(struct json *json);

/** A text; NULL is null, here and below. */
void json_text(struct json *json, const char *name, const char *text);
/** What stands for itself: a number with these digits, "true" or "false". */
void json_literal(struct json *json, const char *name, const char *literal);
void json_integer(struct json *json, const char *name, int64_t integer);

#endif
