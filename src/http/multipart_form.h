/*
 * The parts of multipart/form-data as parameters of a form.
 */
#ifndef MAPDIARY_HTTP_MULTIPART_FORM_H
#define MAPDIARY_HTTP_MULTIPART_FORM_H

#include "base/arena.h"
#include "base/buffer.h"
#include "http/form.h"
#include "http/multipart.h"
#include "http/upload.h"

/* What a body is read with. */
struct body_means {
    struct arena *arena;
    struct buffer *texts; /* for those that come, one at a time */
    const struct upload_place *files;
};

struct multipart_form {
    struct form *form;
    const struct body_means *means;
    struct part part;    /* that is coming */
    size_t texts_length; /* of those that came */
    struct upload_writer file;
};

void multipart_form_begin(struct multipart_form *reading, struct form *form,
                          const struct body_means *means);

/** For multipart_begin(), with a struct multipart_form. */
extern const struct multipart_taker multipart_form_taker;

/** Closes the file that is coming, if the reading ended within one. */
void multipart_form_end(struct multipart_form *reading);

#endif
