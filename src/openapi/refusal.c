#include "openapi/refusal.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "openapi/common.h"

static bool is_heard(const struct outcome *outcome, int http_status)
{
    return outcome->http_status == http_status && !outcome->inside;
}

/* An earlier outcome with this HTTP status has the same text. */
static bool is_repeated(int status)
{
    const struct outcome *outcome = status_outcome((enum status)status);
    while (--status > STATUS_OK) {
        const struct outcome *earlier = status_outcome((enum status)status);
        if (is_heard(earlier, outcome->http_status) && strcmp(earlier->text, outcome->text) == 0)
            return true;
    }
    return false;
}

static void add_texts(struct json *json, int http_status)
{
    json_text(json, "type", "string");
    json_array(json, "enum");
    for (int status = STATUS_OK + 1; status < STATUS_COUNT; status++) {
        const struct outcome *outcome = status_outcome((enum status)status);
        if (is_heard(outcome, http_status) && !outcome->names_parameter && !is_repeated(status))
            json_text(json, NULL, outcome->text);
    }
    json_end_array(json);
}

/* Those that name a parameter: "MISSING PARAMETER: albumID". */
static void add_patterns(struct json *json, int http_status)
{
    for (int status = STATUS_OK + 1; status < STATUS_COUNT; status++) {
        const struct outcome *outcome = status_outcome((enum status)status);
        char pattern[64];
        if (!is_heard(outcome, http_status) || !outcome->names_parameter)
            continue;
        snprintf(pattern, sizeof pattern, "^%s: ", outcome->text);
        json_object(json, NULL);
        json_text(json, "type", "string");
        json_text(json, "pattern", pattern);
        json_end_object(json);
    }
}

static bool has_patterns(int http_status)
{
    for (int status = STATUS_OK + 1; status < STATUS_COUNT; status++) {
        const struct outcome *outcome = status_outcome((enum status)status);
        if (is_heard(outcome, http_status) && outcome->names_parameter)
            return true;
    }
    return false;
}

static void add_info(struct json *json, int http_status)
{
    json_object(json, "info");
    if (!has_patterns(http_status)) {
        add_texts(json, http_status);
        json_end_object(json);
        return;
    }
    json_array(json, "anyOf");
    json_object(json, NULL);
    add_texts(json, http_status);
    json_end_object(json);
    add_patterns(json, http_status);
    json_end_array(json);
    json_end_object(json);
}

static void add_schema(struct json *json, const char *name, int http_status)
{
    json_object(json, name);
    json_text(json, "type", "object");
    json_object(json, "properties");
    json_object(json, "status");
    json_text(json, "type", "string");
    json_text(json, "const", "FAILED");
    json_end_object(json);
    add_info(json, http_status);
    json_end_object(json);
    json_array(json, "required");
    json_text(json, NULL, "status");
    json_text(json, NULL, "info");
    json_end_array(json);
    json_end_object(json);
}

void refusal_schema(struct json *json, const char *name)
{
    add_schema(json, name, 200);
}

/* With HTTP statuses of their own -------------------------------------------------------------- */

static const struct {
    int http_status;
    const char *header, *type, *meaning;
} headers[] = {
    {405, "Allow", "string", "The methods that are allowed."},
    {429, "Retry-After", "integer", "In how many seconds to try again."},
    {503, "Retry-After", "integer", "In how many seconds to try again."},
};

static void add_header(struct json *json, const char *name, const char *type, const char *meaning)
{
    json_object(json, name);
    json_text(json, "description", meaning);
    json_literal(json, "required", "true");
    json_object(json, "schema");
    json_text(json, "type", type);
    json_end_object(json);
    json_end_object(json);
}

static void add_headers(struct json *json, int http_status)
{
    json_object(json, "headers");
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (headers[i].http_status == http_status)
            add_header(json, headers[i].header, headers[i].type, headers[i].meaning);
    json_end_object(json);
}

/* XML is for a request whose query string has a fault, or names no form. */
static void add_content(struct json *json, int http_status)
{
    json_object(json, "content");
    json_object(json, "application/json");
    add_schema(json, "schema", http_status);
    json_end_object(json);
    json_object(json, "text/xml");
    json_object(json, "schema");
    json_text(json, "type", "string");
    json_end_object(json);
    json_end_object(json);
    json_end_object(json);
}

static void add_response(struct json *json, const char *name, const struct outcome *outcome)
{
    json_object(json, name);
    json_text(json, "description", outcome->reason);
    add_headers(json, outcome->http_status);
    add_content(json, outcome->http_status);
    json_end_object(json);
}

static void add_reference(struct json *json, const char *name, const struct outcome *outcome)
{
    (void)outcome;
    common_reference(json, name, "responses", name);
}

static bool is_first(int status, int http_status)
{
    while (status > 0 && status_outcome((enum status)(status - 1))->http_status != http_status)
        status--;
    return status == 0;
}

typedef void visit_function(struct json *json, const char *name, const struct outcome *outcome);

static void for_each_http_status(struct json *json, visit_function *visit)
{
    char name[TEXT_INTEGER_SIZE];
    for (int status = STATUS_OK + 1; status < STATUS_COUNT; status++) {
        const struct outcome *outcome = status_outcome((enum status)status);
        if (outcome->http_status != 200 && is_first(status, outcome->http_status))
            visit(json, text_from_integer(outcome->http_status, name), outcome);
    }
}

void refusal_responses(struct json *json, const char *name)
{
    json_object(json, name);
    for_each_http_status(json, add_response);
    json_end_object(json);
}

void refusal_references(struct json *json)
{
    for_each_http_status(json, add_reference);
}
