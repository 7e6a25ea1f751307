/*
 * Typed values: what a text has to be, and what it means then. The keys of the configuration, the
 * parameters of the interface, the options and operands of mapdiaryctl and the columns of imports
 * are rows that have such a type. A new kind is a word here and a row of the table in value.c.
 */
#ifndef MAPDIARY_BASE_VALUE_H
#define MAPDIARY_BASE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"
#include "base/text.h"

enum value_kind {
    VALUE_FLAG,       /* nothing: being there says it */
    VALUE_TEXT,       /* least to most characters */
    VALUE_LINE,       /* the same without a line break */
    VALUE_INTEGER,    /* least to most, as are all numbers below */
    VALUE_OCTAL,      /* permissions of a file: 0660 */
    VALUE_DURATION,   /* 30s, 15m, 12h, 30d; in milliseconds */
    VALUE_SIZE,       /* 512MiB, 2GiB; in bytes */
    VALUE_COORDINATE, /* decimal degrees, least to most; a text, as a double would round it */
    VALUE_DATE,       /* 2026-02-03 */
    VALUE_TIME,       /* 2026-02-03T04:05:06Z, or seconds since the epoch; becomes the latter */
    VALUE_CHOICE,     /* one of the words */
    VALUE_SUBJECT,    /* one of the words and an identifier: album:7 */
    VALUE_USER,       /* an identifier, or an email address */
    VALUE_EMAIL,      /* an email address */
    VALUE_ADDRESS,    /* where one listens: base/address.h */
    VALUE_PATH,       /* of a file or folder */
    VALUE_FILE,       /* a file of the request, which no text is */
    VALUE_FORM        /* what the type's form says, of which this layer knows nothing */
};

/* A form that texts may have. */
struct value_form {
    const char *what; /* "a hash of a password" */
    bool (*fits)(const char *text);
    const char *format; /* its name in JSON Schema, "date"; NULL: none */
};

struct value_type {
    enum value_kind kind;
    int64_t least, most;      /* of a choice, least is the number of its first word */
    const char *const *words; /* ended by NULL */
    const struct value_form *form;
    bool seen; /* of texts and lines: at least one character can be seen, text_can_be_seen() */
};

#define RANGE(lowest, highest) .least = (lowest), .most = (highest)
#define ID_RANGE RANGE(1, INT64_MAX)

/* What was read. */
struct typed_value {
    const char *text; /* as it was; of a choice, the word of the type */
    int64_t number;   /* of numbers and times; the identifier of a subject, or of a user who was
                       * told by it; of a choice, least and the word */
    int word;         /* of a choice or a subject, from 0 */
};

/**
 * Reads a text whose characters were looked at (text_is_valid()). STATUS_PARAMETER_INVALID where it
 * is not of the type; the value is undefined then.
 */
enum status value_read(const struct value_type *type, const char *text,
                       struct typed_value *value) MUST_CHECK;

/** The same of bytes that nobody has looked at. Only a path may be something else than text. */
enum status value_read_bytes(const struct value_type *type, const char *bytes,
                             struct typed_value *value) MUST_CHECK;

/** True of integers, octal numbers, durations, sizes and times. */
bool value_is_number(const struct value_type *type);

/** Writes a number, a time or a choice so that value_read() reads it. */
void value_print(const struct value_type *type, int64_t number, struct buffer *out);

/** Describes what it may be: "an integer from 1 to 16". */
void value_describe(const struct value_type *type, struct buffer *out);

/** Why a text was refused, as a C string in an empty buffer: "'x' is not an integer from 1 to 16".
 * Without a text (NULL), which may be a secret: "not an integer from 1 to 16". */
const char *value_refusal(const struct value_type *type, const char *text, struct buffer *out);

#endif
