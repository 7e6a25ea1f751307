/*
 * The parameters of a header field's value: what follows its first word, as "; name=value" (RFC
 * 9110, section 5.6.6; RFC 2183, section 2).
 */
#ifndef MAPDIARY_HTTP_FIELD_H
#define MAPDIARY_HTTP_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* It points into the value of the field. */
struct field_parameter {
    const char *name;
    size_t name_length;
    const char *value; /* without its quotes; escapes are as they were */
    size_t value_length;
    bool is_quoted;
};

/** The bytes of a token at the start of a text (RFC 9110, section 5.6.2). */
size_t field_token(const char *text);

/**
 * Reads the next parameter, and moves on behind it. STATUS_NOT_FOUND where there is no more,
 * STATUS_MALFORMED_REQUEST where what follows is no parameter. In quotes a backslash escapes a
 * quote and a backslash, and is itself before all else: browsers do not escape it.
 */
enum status field_next(const char **at, struct field_parameter *parameter) MUST_CHECK;

/** True where the parameter has that name, in either case. */
bool field_is(const struct field_parameter *parameter, const char *name);

enum { FIELD_EXTENDED_MOST = 8192 }; /* bytes as sent */

/** True where the value of a parameter whose name ends in "*" is a text in UTF-8, as RFC 8187,
 * section 3.2, has it; the length is that of the text, in bytes. */
bool field_is_extended(const struct field_parameter *parameter, size_t *length);

#endif
