/*
 * The admission of a request before its body is read.
 */
#ifndef MAPDIARY_SERVE_ADMIT_H
#define MAPDIARY_SERVE_ADMIT_H

#include "base/arena.h"
#include "fcgi/responder.h"
#include "permit/admission.h"

/** Begins the admission of the request that the responder has, and takes a permit for its files,
 * where its body may have files. As admission_take(). */
enum status admit_request(struct admission *admission, const struct responder *responder,
                          struct arena *arena) MUST_CHECK;

#endif
