/*
 * What an operation answers, in each of its forms.
 */
#ifndef MAPDIARY_OPENAPI_ANSWER_H
#define MAPDIARY_OPENAPI_ANSWER_H

#include "api/operation.h"
#include "document/json.h"

/** The next row of this func, from the row given on; NULL if there is none. */
const struct operation *answer_next_row(const struct operation *row, const char *func);

/** Members of an object: the responses of the func whose first row this is, except refusals with
 * statuses of their own. */
void answer_responses(struct json *json, const struct operation *first);

/** The schema of answers in GeoJSON, to which those refer by
 * #/components/schemas/FeatureCollection. */
void answer_collection(struct json *json);

#endif
