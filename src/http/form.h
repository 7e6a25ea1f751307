/*
 * The parameters of a request, whatever brought them: texts, and files, which count as the digest
 * of their bytes. One way is here, application/x-www-form-urlencoded (WHATWG URL Standard, section
 * 5), read strictly.
 */
#ifndef MAPDIARY_HTTP_FORM_H
#define MAPDIARY_HTTP_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/pair.h"
#include "base/status.h"
#include "http/upload.h"

enum {
    FORM_PARAMETERS_MOST = 64,
    FORM_TEXTS_MOST = 1048576, /* bytes of the texts of a body */
};

struct form {
    struct pair parameters[FORM_PARAMETERS_MOST];
    struct upload *uploads[FORM_PARAMETERS_MOST]; /* NULL: that parameter is a text */
    struct upload *unnamed; /* a file that is the body itself: form_name_upload(); NULL: none */
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

/** What a query string alone says of a parameter: of a request that is refused, whatever for. NULL
 * where it does not name it, or with different values, or is malformed as form_decode() has it. */
const char *form_look(const char *query, const char *name, struct arena *arena);

/** Adds a parameter of bytes that nobody has looked at, as form_decode() does. The form copies both
 * into the arena. */
void form_add(struct form *form, const char *name, const char *value, size_t length,
              struct arena *arena);

/** Adds a file, which is the form's then, with its descriptor; its value is its digest in
 * hexadecimal. False where it is refused; then it stays the caller's. */
bool form_add_upload(struct form *form, const char *name, const struct upload *upload,
                     struct arena *arena);

/** Takes a file whose name comes later; it is the form's then. */
void form_take_unnamed(struct form *form, const struct upload *upload, struct arena *arena);

/** Makes the unnamed file, if there is one, the parameter of that name. What is wrong is the form's
 * status. */
void form_name_upload(struct form *form, const char *name, struct arena *arena);

/** Makes that the form's status, unless something was wrong before. */
void form_refuse(struct form *form, enum status status, const char *name);

/** True while parameters are added: nothing was wrong, or no more than a value. */
bool form_is_open(const struct form *form);

/** Closes its files. */
void form_close(struct form *form);

/** The value of a parameter, or NULL. */
const char *form_find(const struct form *form, const char *name);

/** The file that the parameter is; NULL where there is none, or it is a text. */
const struct upload *form_upload(const struct form *form, const char *name);

/** True where it stood in the request's address, which web servers log. */
bool form_is_in_address(const struct form *form, const char *name);

#endif
