/*
 * Schemas (JSON Schema 2020-12, as OpenAPI 3.1 takes it) of what operations take and answer, made
 * of the specs of their parameters and of their shapes.
 */
#ifndef MAPDIARY_OPENAPI_SCHEMA_H
#define MAPDIARY_OPENAPI_SCHEMA_H

#include "api/operation.h"
#include "document/json.h"

/** Parameters in the query string, as items of an array. Those that are beside a file are so only
 * where the file is the body, and none of them is required; the file itself is left out. */
void schema_query(struct json *json, const struct param_spec *specs);

/** The form that an operation takes, with files as parts (in_parts) or without: a file that may be
 * taken away is an empty text then. The variant is that of its row, or for a row without one that
 * of another row of its func: what this one must not have. NULL: none of them has any. */
void schema_form(struct json *json, const char *name, const struct operation *operation,
                 const char *variant, bool in_parts);

/** The bytes of a file. */
void schema_file(struct json *json, const char *name);

/** What an operation answers on success. */
void schema_success(struct json *json, const char *name, const struct field *shape);

#endif
