#include "openapi/common.h"

#include <string.h>

void common_reference(struct json *json, const char *name, const char *kind, const char *target)
{
    char reference[128];
    strcpy(stpcpy(stpcpy(stpcpy(reference, "#/components/"), kind), "/"), target);
    json_object(json, name);
    json_text(json, "$ref", reference);
    json_end_object(json);
}

/* Parameters ----------------------------------------------------------------------------------- */

#define FORM "responseFormat"

static const char *const map_forms[] = {"JSON", "GeoJSON", NULL};
static const char *const feed_forms[] = {"JSON", "GeoJSON", "Atom", NULL};

static const struct parameter {
    const char *name, *in, *type;
    const char *rule, *value; /* a further word of its schema; NULL: none */
    bool required;
    enum { EVERYWHERE, READS, SESSION_WRITES, JSON_ALONE, MAPS, FEEDS } where;
    const char *description;
    const char *component;    /* what it is called among the components; NULL: as its name is */
    const char *const *words; /* the values that it takes; NULL: others */
} parameters[] = {
    {FORM, "query", "string", "const", "JSON", true, JSON_ALONE, "The form of the answer.", NULL,
     NULL},
    {FORM, "query", "string", NULL, NULL, true, MAPS, "The form of the answer.", FORM "OfMaps",
     map_forms},
    {FORM, "query", "string", NULL, NULL, true, FEEDS, "The form of the answer.", FORM "OfFeeds",
     feed_forms},
    {"key", "query", "string", "pattern", "^[0-9A-Fa-f]{32}$", false, EVERYWHERE,
     "The application key; with ts and sig.", NULL, NULL},
    {"ts", "query", "integer", "format", "int64", false, EVERYWHERE,
     "When the request was signed: seconds since the epoch, within 300 of the server's clock.",
     NULL, NULL},
    {"sig", "query", "string", "pattern", "^[0-9a-f]{64}$", false, EVERYWHERE,
     "HMAC-SHA256 under the key's secret of all other parameters, func (as in the path) among them: "
     "names and values percent-encoded (RFC 3986), as name=value, sorted by name, joined by &.",
     NULL, NULL},
    {"If-None-Match", "header", "string", NULL, NULL, false, READS,
     "The ETag of a known answer: the service does not send that answer again.", NULL, NULL},
    {"Idempotency-Key", "header", "string", "pattern", "^[!-~]{1,64}$", false, SESSION_WRITES,
     "Names this write, so that the write can be sent again for a day: each repetition gets the "
     "first answer, and nothing is written twice.",
     NULL, NULL},
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

static const char *component(const struct parameter *parameter)
{
    return parameter->component != NULL ? parameter->component : parameter->name;
}

static void add_words(struct json *json, const char *const *words)
{
    json_array(json, "enum");
    for (; *words != NULL; words++)
        json_text(json, NULL, *words);
    json_end_array(json);
}

static void add_parameter(struct json *json, const struct parameter *parameter)
{
    json_object(json, component(parameter));
    json_text(json, "name", parameter->name);
    json_text(json, "in", parameter->in);
    if (parameter->required)
        json_literal(json, "required", "true");
    json_text(json, "description", parameter->description);
    json_object(json, "schema");
    json_text(json, "type", parameter->type);
    if (parameter->rule != NULL)
        json_text(json, parameter->rule, parameter->value);
    if (parameter->words != NULL)
        add_words(json, parameter->words);
    json_end_object(json);
    json_end_object(json);
}

void common_parameters(struct json *json, const char *name)
{
    json_object(json, name);
    for (size_t i = 0; i < PARAMETERS; i++)
        add_parameter(json, &parameters[i]);
    json_end_object(json);
}

static bool belongs(const struct parameter *parameter, const struct operation *operation)
{
    switch (parameter->where) {
    case READS:
        return operation->kind == OPERATION_READ;
    case SESSION_WRITES:
        return operation->kind == OPERATION_WRITE && access_is_required(operation->access);
    case JSON_ALONE:
        return !operation->has_geojson;
    case MAPS:
        return operation->has_geojson && operation->feed == NULL;
    case FEEDS:
        return operation->feed != NULL;
    case EVERYWHERE:
        break;
    }
    return true;
}

void common_references(struct json *json, const struct operation *operation)
{
    for (size_t i = 0; i < PARAMETERS; i++)
        if (belongs(&parameters[i], operation))
            common_reference(json, NULL, "parameters", component(&parameters[i]));
}

/* Who is asking -------------------------------------------------------------------------------- */

static const struct {
    const char *name, *description;
} cookies[] = {
    {"id", "The user's identifier, of a login; with idrand."},
    {"idrand", "The token of the session, of a login; with id."},
};
enum { COOKIES = sizeof cookies / sizeof *cookies };

void common_security_schemes(struct json *json, const char *name)
{
    json_object(json, name);
    for (size_t i = 0; i < COOKIES; i++) {
        json_object(json, cookies[i].name);
        json_text(json, "type", "apiKey");
        json_text(json, "in", "cookie");
        json_text(json, "name", cookies[i].name);
        json_text(json, "description", cookies[i].description);
        json_end_object(json);
    }
    json_end_object(json);
}

/* Without a session, with one, or both: alternatives in an array. */
void common_security(struct json *json, const char *name, enum access access)
{
    json_array(json, name);
    if (!access_is_required(access)) {
        json_object(json, NULL);
        json_end_object(json);
    }
    if (access != ACCESS_ANYONE) {
        json_object(json, NULL);
        for (size_t i = 0; i < COOKIES; i++) {
            json_array(json, cookies[i].name);
            json_end_array(json);
        }
        json_end_object(json);
    }
    json_end_array(json);
}
