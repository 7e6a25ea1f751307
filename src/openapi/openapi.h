/*
 * The interface describes itself: an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1),
 * made of the operation table, the specs of parameters and the shapes of answers. It describes the
 * JSON forms at the addresses with the operation's name in the path.
 */
#ifndef MAPDIARY_OPENAPI_OPENAPI_H
#define MAPDIARY_OPENAPI_OPENAPI_H

#include "api/operation.h"
#include "base/buffer.h"

/** Writes the document for a table that ends with a row without func. */
void openapi_write(const struct operation *operations, struct buffer *out);

#endif
