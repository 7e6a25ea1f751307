/*
 * What an operation answers when it does not succeed, from the table of statuses.
 */
#ifndef MAPDIARY_OPENAPI_REFUSAL_H
#define MAPDIARY_OPENAPI_REFUSAL_H

#include "document/json.h"

/** The schema of FAILED, with HTTP status 200. */
void refusal_schema(struct json *json, const char *name);

/** The responses with HTTP statuses of their own, as components, and references to them. */
void refusal_responses(struct json *json, const char *name);
void refusal_references(struct json *json);

#endif
