/*
 * The bodies that a request may have: what media type each is of, how large it may be, and how it
 * becomes parameters.
 */
#ifndef MAPDIARY_HTTP_BODY_H
#define MAPDIARY_HTTP_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "http/form.h"
#include "http/multipart_form.h"

struct responder;

enum { BODY_FILE_TOLD = 64 << 20 }; /* bytes: a file up to these is told to be too large a photo */

struct body_kind {
    const char *media_type; /* "image/" is all that begin so */
    size_t texts_most;      /* bytes that it may have beside a file */
    bool has_file;          /* and so as many more as a file may have */
    bool (*takes)(
        const char *parameters); /* what follows the media type, from its ";"; NULL: any */
    /* Adds what comes to the form; the type's parameters are what follows it. What is wrong with
     * the body is the answer, or the form's status. */
    enum status (*read)(struct responder *responder, const char *parameters,
                        const struct body_means *means, struct form *form);
};

/** That of a Content-Type (RFC 9110, section 8.3); NULL where it is none, or NULL. */
const struct body_kind *body_kind_find(const char *content_type);

/** True where it may have files in it: of a Content-Type that is NULL or none as well. */
bool body_has_files(const char *content_type);

/** Bytes that a body may have, where a file may have so many. */
size_t body_kind_most(const struct body_kind *kind, int64_t file_most);

/** Bytes that the largest may have. */
size_t body_most(int64_t file_most);

/**
 * Reads the body into the form, to which the parameters of the address have been added. What is
 * wrong with it is the form's status: as form_decode() has it; STATUS_MALFORMED_REQUEST for broken
 * parts, STATUS_REQUEST_TOO_LARGE for too much text, STATUS_PHOTO_TOO_LARGE for too large a file,
 * STATUS_UNAVAILABLE where a file cannot be written. Then some of the body may not be read.
 */
void body_read(const struct body_kind *kind, struct responder *responder, const char *content_type,
               const struct body_means *means, struct form *form);

#endif
