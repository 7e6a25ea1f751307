/*
 * What every operation has in its description: the parameters that any of them takes, and who may
 * call it.
 */
#ifndef MAPDIARY_OPENAPI_COMMON_H
#define MAPDIARY_OPENAPI_COMMON_H

#include "api/operation.h"
#include "document/json.h"

/** An object of one text: {"$ref": "#/components/KIND/TARGET"}. */
void common_reference(struct json *json, const char *name, const char *kind, const char *target);

/** The parameters as components, and references to those of an operation as items of an array. */
void common_parameters(struct json *json, const char *name);
void common_references(struct json *json, const struct operation *operation);

/** The cookies of a session as components, and who may call an operation. */
void common_security_schemes(struct json *json, const char *name);
void common_security(struct json *json, const char *name, enum access access);

#endif
