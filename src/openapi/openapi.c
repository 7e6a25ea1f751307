#include "openapi/openapi.h"

#include <stdio.h>
#include <string.h>

#include "document/json.h"
#include "openapi/answer.h"
#include "openapi/common.h"
#include "openapi/refusal.h"
#include "openapi/schema.h"

/* What OpenAPI has no words for. */
static const char description[] =
    "Albums, places and blogs on a map. This document describes the answers in JSON, GeoJSON and "
    "Atom; without responseFormat the same addresses answer in XML.\n\n"
    "An operation answers with HTTP status 200 whether it succeeded or not: `status` is SUCCESS "
    "or FAILED, and `info` says why it failed. Refusals before the operation ran have other "
    "statuses. Refusals are JSON if the query string has no fault and names JSON; else refusals "
    "may be XML: Content-Type tells. A web server or proxy in front may refuse with pages of its "
    "own.\n\n"
    "Parameters come in the query string or in the body alike (a password in the body alone), "
    "and count together: at most 64, a name once, in UTF-8; names that are not known are "
    "ignored. A body is a form, in one piece or in parts, of at most 1 MiB beside files. A file "
    "is a part with a file name, or the body itself, with all other parameters in the query "
    "string; the name and the media type of the file are ignored, as the bytes tell the type. "
    "For a signature, a file counts as the lower-case hex SHA-256 of its bytes. Reads take POST "
    "as well as GET and HEAD. Text is of the characters that XML 1.0 allows. Numbers are plain "
    "decimals: no exponent, no sign +, no blanks. A coordinate is answered with the digits that "
    "were sent, up to 15 significant ones. year, month and day are a date that exists.\n\n"
    "A login sets the cookies id and idrand; both go with each request that needs a session. A "
    "write that a browser sends from another site is refused. key, ts and sig go together, or "
    "not at all.";

static void add_info(struct json *json)
{
    json_object(json, "info");
    json_text(json, "title", "mapdiary");
    json_text(json, "version", PACKAGE_VERSION);
    json_text(json, "description", description);
    json_object(json, "contact");
    json_text(json, "name", "The operator of this site; getSite has an address if there is one");
    json_end_object(json);
    json_object(json, "license");
    json_text(json, "name", "ISC");
    json_text(json, "identifier", "ISC");
    json_end_object(json);
    json_end_object(json);
}

/* Relative: where this document came from. */
static void add_servers(struct json *json)
{
    json_array(json, "servers");
    json_object(json, NULL);
    json_text(json, "url", ".");
    json_end_object(json);
    json_end_array(json);
}

/* The rows of a func --------------------------------------------------------------------------- */

static bool is_first(const struct operation *operations, const struct operation *row)
{
    return answer_next_row(operations, row->func) == row;
}

/* The row that a func means by itself, without any variant. */
static const struct operation *plain_row(const struct operation *first)
{
    const struct operation *row = first;
    while (row->variant != NULL && answer_next_row(row + 1, first->func) != NULL)
        row = answer_next_row(row + 1, first->func);
    return row;
}

/* An operation --------------------------------------------------------------------------------- */

static void add_parameters(struct json *json, const struct operation *operation)
{
    json_array(json, "parameters");
    common_references(json, operation);
    if (operation->kind == OPERATION_READ || param_file(operation->params, NULL) != NULL)
        schema_query(json, operation->params);
    json_end_array(json);
}

static void add_forms(struct json *json, const struct operation *first, bool in_parts)
{
    if (answer_next_row(first + 1, first->func) == NULL) {
        schema_form(json, "schema", first, first->variant, in_parts);
        return;
    }
    json_object(json, "schema");
    json_array(json, "oneOf");
    for (const struct operation *row = first; row != NULL;
         row = answer_next_row(row + 1, first->func))
        schema_form(json, NULL, row, first->variant, in_parts);
    json_end_array(json);
    json_end_object(json);
}

static void add_form_of(struct json *json, const char *media_type, const struct operation *first,
                        bool in_parts)
{
    json_object(json, media_type);
    add_forms(json, first, in_parts);
    json_end_object(json);
}

/* The file as the body. */
static void add_file(struct json *json)
{
    static const char *const media_types[] = {"image/*", "application/octet-stream"};
    for (size_t i = 0; i < sizeof media_types / sizeof *media_types; i++) {
        json_object(json, media_types[i]);
        schema_file(json, "schema");
        json_end_object(json);
    }
}

static void add_body(struct json *json, const struct operation *first)
{
    const struct operation *plain = plain_row(first);
    const struct param_spec *file = param_file(plain->params, NULL);
    if (first->kind == OPERATION_READ || plain->params == NULL)
        return;
    json_object(json, "requestBody");
    json_literal(json, "required", "true");
    json_object(json, "content");
    if (file == NULL || file->optional)
        add_form_of(json, "application/x-www-form-urlencoded", first, false);
    add_form_of(json, "multipart/form-data", first, true);
    if (file != NULL)
        add_file(json);
    json_end_object(json);
    json_end_object(json);
}

static void add_tag(struct json *json, const char *tag)
{
    json_array(json, "tags");
    if (tag != NULL)
        json_text(json, NULL, tag);
    json_end_array(json);
}

/* Of each row, and who may call it. */
static void add_description(struct json *json, const struct operation *first)
{
    static const char *const callers[] = {
        [ACCESS_ANYONE] = "Anybody may call this operation, and a session makes no difference.",
        [ACCESS_READER] = ("Anybody may call this operation. With a session, the answer has all "
                           "that the user sees."),
        [ACCESS_SESSION] = "This operation takes a session.",
        [ACCESS_KNOWN] = "This operation takes a session.",
        [ACCESS_LOGOUT] = "This operation takes a session, and ends the session.",
        [ACCESS_LEAVING] = "This operation takes a session, and may end the session.",
    };
    struct buffer words = {0};
    buffer_add_format(&words, "%s", plain_row(first)->summary);
    for (const struct operation *row = first; row != NULL;
         row = answer_next_row(row + 1, first->func))
        if (row->variant != NULL && row != plain_row(first))
            buffer_add_format(&words, "\n\nWith `%s=true`: %s", row->variant, row->summary);
    buffer_add_format(&words, "\n\n%s", callers[first->access]);
    json_text(json, "description", words.data);
    buffer_free(&words);
}

static void add_operation(struct json *json, const struct operation *first)
{
    const struct operation *plain = plain_row(first);
    json_object(json, first->kind == OPERATION_READ ? "get" : "post");
    json_text(json, "operationId", first->func);
    json_text(json, "summary", plain->summary);
    add_description(json, first);
    add_tag(json, plain->tag);
    common_security(json, "security", plain->access);
    add_parameters(json, plain);
    add_body(json, first);
    json_object(json, "responses");
    answer_responses(json, first);
    refusal_references(json);
    json_end_object(json);
    json_end_object(json);
}

static void add_paths(struct json *json, const struct operation *operations)
{
    json_object(json, "paths");
    for (const struct operation *row = operations; row->func != NULL; row++) {
        char path[64];
        if (!is_first(operations, row))
            continue;
        snprintf(path, sizeof path, "/API.php/%s", row->func);
        json_object(json, path);
        add_operation(json, row);
        json_end_object(json);
    }
    json_end_object(json);
}

static const struct {
    const char *name, *description;
} tags[] = {
    {"Albums", "Albums of photos at a place, and lists of them."},
    {"Places", "Points of interest, which operators make."},
    {"Blogs", "Blogs of a day and a place."},
    {"Photos", "Photos of albums and places."},
    {"Comments, votes and reports", "How readers answer a piece."},
    {"Accounts", "Registration, login, passwords, and users."},
    {"Finding", "Pieces near a place, on a map, by words, and the latest."},
    {"Advertisements", "Advertisements of a place, and how they are counted."},
    {"Site", "Settings of the site that a client has to know."},
};

static void add_tags(struct json *json)
{
    json_array(json, "tags");
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        json_object(json, NULL);
        json_text(json, "name", tags[i].name);
        json_text(json, "description", tags[i].description);
        json_end_object(json);
    }
    json_end_array(json);
}

/* What they have in common --------------------------------------------------------------------- */

static void add_tag_header(struct json *json)
{
    json_object(json, "headers");
    json_object(json, "ETag");
    json_text(json, "description", "Of a SUCCESS without cookies, for If-None-Match.");
    json_object(json, "schema");
    json_text(json, "type", "string");
    json_end_object(json);
    json_end_object(json);
    json_end_object(json);
}

static void add_components(struct json *json)
{
    json_object(json, "components");
    json_object(json, "schemas");
    refusal_schema(json, "FAILED");
    answer_collection(json);
    json_end_object(json);
    common_parameters(json, "parameters");
    refusal_responses(json, "responses");
    add_tag_header(json);
    common_security_schemes(json, "securitySchemes");
    json_end_object(json);
}

void openapi_write(const struct operation *operations, struct buffer *out)
{
    struct json json = json_new(out);
    json_object(&json, NULL);
    json_text(&json, "openapi", "3.1.0");
    add_info(&json);
    add_servers(&json);
    add_tags(&json);
    add_paths(&json, operations);
    add_components(&json);
    json_end_object(&json);
    json_end(&json);
}
