/*
 * The parameters of an operation, declared: an array of specs says what each is called, what it may
 * be, and where in the operation's input struct its value lands. No handler parses or checks a
 * parameter.
 */
#ifndef MAPDIARY_HTTP_PARAM_H
#define MAPDIARY_HTTP_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"
#include "http/form.h"

enum param_kind {
    PARAM_LINE,       /* const char *: least to most characters without a line break */
    PARAM_TEXT,       /* const char *: least to most characters */
    PARAM_INTEGER,    /* int64_t: least to most */
    PARAM_COORDINATE, /* const char *: decimal degrees, least to most, as they were sent */
    PARAM_CHOICE,     /* const char *: exactly one of the choices */
    PARAM_DATE /* struct date: of the three parameters year, month, day; the name is nobody's */
};

struct param_spec {
    const char *name;
    enum param_kind kind;
    size_t offset; /* in the input struct */
    int64_t least, most;
    const char *const *choices; /* ended by NULL */
    bool optional;              /* when it is absent, the field stays zero */
    const char *fallback;       /* or becomes what this text says */
};

/* The end of an array of them. */
#define PARAMS_END   \
    {                \
        .name = NULL \
    }

#define PARAM_RANGE(lowest, highest) .least = (lowest), .most = (highest)
#define PARAM_ID_RANGE PARAM_RANGE(1, INT64_MAX)
#define PARAM_LAT_RANGE PARAM_RANGE(-90, 90)
#define PARAM_LNG_RANGE PARAM_RANGE(-180, 180)
/* What a date is made of. */
extern const struct param_spec param_date_parts[];

/* Of a title or a name. */
#define PARAM_LINE_RANGE PARAM_RANGE(1, TEXT_LINE_MOST)

/**
 * Binds the parameters of a form to a zeroed input struct, in the order of the specs (NULL: none).
 * STATUS_PARAMETER_MISSING and STATUS_PARAMETER_INVALID name the first parameter at fault in
 * *refused. Texts belong to the form.
 */
enum status param_bind(const struct param_spec *specs, const struct form *form, void *input,
                       const char **refused) MUST_CHECK;

#endif
