/*
 * Writes JSON (RFC 8259) piece by piece, by yajl. In an object each value has a name; in an array
 * it has none (NULL).
 */
#ifndef MAPDIARY_OPENAPI_JSON_H
#define MAPDIARY_OPENAPI_JSON_H

#include <stdint.h>

#include "base/buffer.h"

struct json {
    void *generator;
    struct buffer *out;
};

/** Begins a document that goes to the buffer; json_free() ends it. */
struct json json_new(struct buffer *out);
void json_free(struct json *json);

void json_object(struct json *json, const char *name);
void json_end_object(struct json *json);
void json_array(struct json *json, const char *name);
void json_end_array(struct json *json);

void json_text(struct json *json, const char *name, const char *text);
void json_integer(struct json *json, const char *name, int64_t integer);
void json_true(struct json *json, const char *name);
/** A number with these digits. */
void json_number(struct json *json, const char *name, const char *digits);

/** An object of one text: {"$ref": "#/components/KIND/NAME"}. */
void json_reference(struct json *json, const char *name, const char *kind, const char *target);

#endif
