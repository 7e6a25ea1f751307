/*
 * The parameters of a request: application/x-www-form-urlencoded (WHATWG URL Standard, section 5),
 * read strictly.
 */
#ifndef MAPDIARY_HTTP_FORM_H
#define MAPDIARY_HTTP_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/pair.h"
#include "base/status.h"

enum { FORM_PARAMETERS_MOST = 64 };

struct form {
    struct pair parameters[FORM_PARAMETERS_MOST];
    size_t count;
    size_t in_address;   /* how many of them, the first ones, stood in the request's address */
    enum status status;  /* what was wrong first; STATUS_OK: nothing */
    const char *refused; /* the parameter that it is about */
};

/**
 * Adds the parameters of a query string or a body. What is wrong is the form's status:
 * STATUS_MALFORMED_REQUEST for a broken escape, an empty name, or a name that is no text;
 * STATUS_PARAMETER_INVALID for a value that is no text; STATUS_PARAMETER_DUPLICATE for a name that
 * was there already; STATUS_REQUEST_TOO_LARGE for too many. Then nothing more is added, but after
 * STATUS_PARAMETER_INVALID, as a later parameter may say in which format that is to be told.
 */
void form_decode(struct form *form, const char *encoded, size_t length, struct arena *arena);

/** The value of a parameter, or NULL. */
const char *form_find(const struct form *form, const char *name);

/** True where it stood in the request's address, which web servers log. */
bool form_is_in_address(const struct form *form, const char *name);

#endif
