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
#include "base/value.h"
#include "http/form.h"
#include "model/piece.h"
#include "model/text.h"

struct param_spec {
    const char *name;
    struct value_type type; /* a date is of the three parameters year, month, day, and the name is
                             * nobody's */
    size_t offset;          /* in the input struct: int64_t, struct date, of a file const struct
                             * upload *, or else const char * */
    bool optional;          /* when it is absent, the field stays zero */
    const char *fallback;   /* or becomes what this text says */
    bool secret;            /* refused where it stood in the request's address */
    bool may_be_empty;      /* a file; an empty text says that there is none: param_no_upload */
    bool is_lenient;        /* a choice; any other text is as none */
    bool is_elsewhere;      /* it goes with operations like this one, and with this one never */
    /* In the place of all that: exactly one of these, which are optional each, and the name is
     * nobody's. None is the first one missing, and each beyond the first is invalid. */
    const struct param_spec *one_of;
};

/* The end of an array of them. */
#define PARAMS_END {.name = NULL}

/**
 * Binds the parameters of a form to a zeroed input struct, in the order of the specs (NULL: none).
 * STATUS_PARAMETER_MISSING and STATUS_PARAMETER_INVALID name the first parameter at fault in
 * *refused; then a file that is none of these parameters is invalid, too. Texts and files belong to
 * the form.
 */
enum status param_bind(const struct param_spec *specs, const struct form *form, void *input,
                       const char **refused) MUST_CHECK;

/** The specs in the place of which this one stands, as a date does; NULL: none. */
const struct param_spec *param_parts(const struct param_spec *spec);

/* What a file is that was sent as an empty text. */
extern const struct upload param_no_upload;

/** Whether one of these proves something, as a password does. */
bool param_has_secret(const struct param_spec *specs);

/** The spec of the file of that name, or of the first file (NULL); NULL where there is none. */
const struct param_spec *param_file(const struct param_spec *specs, const char *name);

#endif
