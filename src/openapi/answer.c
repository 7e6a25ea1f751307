#include "openapi/answer.h"

#include <string.h>

#include "openapi/common.h"
#include "openapi/schema.h"

const struct operation *answer_next_row(const struct operation *row, const char *func)
{
    while (row->func != NULL && strcmp(row->func, func) != 0)
        row++;
    return row->func != NULL ? row : NULL;
}

/* Rows of one func that answer the same have one schema. */
static void add_answers(struct json *json, const struct operation *first)
{
    json_object(json, "schema");
    json_array(json, "oneOf");
    for (const struct operation *row = first; row != NULL;
         row = answer_next_row(row + 1, first->func)) {
        const struct operation *next = answer_next_row(row + 1, first->func);
        if (next == NULL || next->shape != row->shape)
            schema_success(json, NULL, row->shape);
    }
    common_reference(json, NULL, "schemas", "FAILED");
    json_end_array(json);
    json_end_object(json);
}

static void add_not_modified(struct json *json)
{
    json_object(json, "304");
    json_text(json, "description", "The answer is still the one that If-None-Match names.");
    json_end_object(json);
}

/* Of a request whose query string has a fault, and so names no form; the document has the elements
 * that the object has. */
static void add_refusal_in_xml(struct json *json)
{
    json_object(json, "text/xml");
    common_reference(json, "schema", "schemas", "FAILED");
    json_end_object(json);
}

static void add_text_content(struct json *json, const char *media_type)
{
    json_object(json, media_type);
    json_object(json, "schema");
    json_text(json, "type", "string");
    json_end_object(json);
    json_end_object(json);
}

static void add_further_forms(struct json *json, const struct operation *first)
{
    if (first->has_geojson) {
        json_object(json, format_geojson.content_type);
        common_reference(json, "schema", "schemas", "FeatureCollection");
        json_end_object(json);
    }
    if (first->feed != NULL)
        add_text_content(json, "application/atom+xml");
}

/* What reads feeds looks at the status alone. */
static void add_refused_feed(struct json *json)
{
    json_object(json, "400");
    json_text(json, "description", "FAILED, if the request asked for Atom.");
    json_object(json, "content");
    add_refusal_in_xml(json);
    json_end_object(json);
    json_end_object(json);
}

void answer_responses(struct json *json, const struct operation *first)
{
    bool is_read = first->kind == OPERATION_READ;
    json_object(json, "200");
    json_text(json, "description", "The answer of the operation, SUCCESS or FAILED.");
    if (is_read) {
        json_object(json, "headers");
        common_reference(json, "ETag", "headers", "ETag");
        json_end_object(json);
    }
    json_object(json, "content");
    json_object(json, format_json.content_type);
    add_answers(json, first);
    json_end_object(json);
    add_further_forms(json, first);
    add_refusal_in_xml(json);
    json_end_object(json);
    json_end_object(json);
    if (is_read)
        add_not_modified(json);
    if (first->feed != NULL)
        add_refused_feed(json);
}

static void add_const(struct json *json, const char *name, const char *word)
{
    json_object(json, name);
    json_text(json, "type", "string");
    json_text(json, "const", word);
    json_end_object(json);
}

static void add_required(struct json *json, const char *const *names)
{
    json_array(json, "required");
    for (; *names != NULL; names++)
        json_text(json, NULL, *names);
    json_end_array(json);
}

static void add_point(struct json *json)
{
    static const char *const required[] = {"type", "coordinates", NULL};
    json_object(json, "geometry");
    json_text(json, "type", "object");
    json_object(json, "properties");
    add_const(json, "type", "Point");
    json_object(json, "coordinates");
    json_text(json, "type", "array");
    json_text(json, "description", "The longitude, then the latitude.");
    json_object(json, "items");
    json_text(json, "type", "number");
    json_end_object(json);
    json_integer(json, "minItems", 2);
    json_integer(json, "maxItems", 2);
    json_end_object(json);
    json_end_object(json);
    add_required(json, required);
    json_end_object(json);
}

/* A cluster has no identifier. */
static void add_feature(struct json *json)
{
    static const char *const required[] = {"type", "properties", "geometry", NULL};
    json_object(json, "items");
    json_text(json, "type", "object");
    json_object(json, "properties");
    add_const(json, "type", "Feature");
    json_object(json, "properties");
    json_text(json, "type", "object");
    json_text(json, "description", "The members of the item in JSON, except place and identifier.");
    json_end_object(json);
    add_point(json);
    json_object(json, "id");
    json_text(json, "type", "string");
    json_end_object(json);
    json_end_object(json);
    add_required(json, required);
    json_end_object(json);
}

void answer_collection(struct json *json)
{
    static const char *const required[] = {"type", "features", NULL};
    json_object(json, "FeatureCollection");
    json_text(json, "type", "object");
    json_object(json, "properties");
    add_const(json, "type", "FeatureCollection");
    json_object(json, "features");
    json_text(json, "type", "array");
    add_feature(json);
    json_end_object(json);
    json_object(json, "next");
    json_text(json, "type", "string");
    json_end_object(json);
    json_end_object(json);
    add_required(json, required);
    json_end_object(json);
}
