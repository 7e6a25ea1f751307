#include "openapi/schema.h"

/* The highest number that is one in JavaScript, too: Number.MAX_SAFE_INTEGER. */
static const int64_t id_most = 9007199254740991;

/* What they take ------------------------------------------------------------------------------- */

static void add_range(struct json *json, const struct param_spec *spec, const char *least,
                      const char *most)
{
    json_integer(json, least, spec->type.least);
    if (spec->type.most != INT64_MAX)
        json_integer(json, most, spec->type.most);
}

static void describe_text(struct json *json, const struct param_spec *spec)
{
    json_text(json, "type", "string");
    if (spec->type.seen)
        json_text(json, "description",
                  "At least one character is neither white space (White_Space) nor invisible "
                  "(Default_Ignorable_Code_Point, U+2800).");
    add_range(json, spec, "minLength", "maxLength");
}

static void describe_line(struct json *json, const struct param_spec *spec)
{
    describe_text(json, spec);
    json_text(json, "pattern", "^[^\\r\\n]*$");
}

/* What text_is_email() takes: no blank, and none of " ( ) , : ; < > @ [ \ ] but for quotes around
 * all that is before the @. */
#define ADDRESS_PART "[!#-'*+\\-./0-9=?A-Z^-~]+"

static void describe_email(struct json *json, const struct param_spec *spec)
{
    (void)spec;
    json_text(json, "type", "string");
    json_text(json, "pattern", "^(" ADDRESS_PART "|\"" ADDRESS_PART "\")@" ADDRESS_PART "$");
    json_integer(json, "maxLength", TEXT_EMAIL_MOST);
}

static void describe_integer(struct json *json, const struct param_spec *spec)
{
    json_text(json, "type", "integer");
    json_text(json, "format", "int64");
    add_range(json, spec, "minimum", "maximum");
}

static void describe_coordinate(struct json *json, const struct param_spec *spec)
{
    json_text(json, "type", "number");
    add_range(json, spec, "minimum", "maximum");
}

static void describe_choice(struct json *json, const struct param_spec *spec)
{
    json_text(json, "type", "string");
    json_array(json, "enum");
    for (const char *const *choice = spec->type.words; *choice != NULL; choice++)
        json_text(json, NULL, *choice);
    json_end_array(json);
}

static void describe_file(struct json *json, const struct param_spec *spec)
{
    (void)spec;
    json_text(json, "type", "string");
    json_text(json, "format", "binary");
}

static void describe_form(struct json *json, const struct param_spec *spec)
{
    json_text(json, "type", "string");
    if (spec->type.form->format != NULL)
        json_text(json, "format", spec->type.form->format);
}

/* A date is described by its parts. */
static const struct {
    void (*describe)(struct json *json, const struct param_spec *spec);
    void (*add_value)(struct json *json, const char *name, const char *text);
} kinds[] = {
    [VALUE_LINE] = {describe_line, json_text},
    [VALUE_TEXT] = {describe_text, json_text},
    [VALUE_EMAIL] = {describe_email, json_text},
    [VALUE_INTEGER] = {describe_integer, json_literal},
    [VALUE_COORDINATE] = {describe_coordinate, json_literal},
    [VALUE_CHOICE] = {describe_choice, json_text},
    [VALUE_FILE] = {describe_file, NULL},
    [VALUE_FORM] = {describe_form, json_text},
};

static bool is_required(const struct param_spec *spec)
{
    return !spec->optional && spec->fallback == NULL;
}

static void add_param(struct json *json, const char *name, const struct param_spec *spec)
{
    json_object(json, name);
    kinds[spec->type.kind].describe(json, spec);
    if (spec->fallback != NULL)
        kinds[spec->type.kind].add_value(json, "default", spec->fallback);
    json_end_object(json);
}

static void add_in_query(struct json *json, const struct param_spec *spec, bool required)
{
    json_object(json, NULL);
    json_text(json, "name", spec->name);
    json_text(json, "in", "query");
    if (required)
        json_literal(json, "required", "true");
    add_param(json, "schema", spec);
    json_end_object(json);
}

static void add_query_param(struct json *json, const struct param_spec *spec)
{
    add_in_query(json, spec, is_required(spec));
}

static void add_beside_file(struct json *json, const struct param_spec *spec)
{
    if (spec->type.kind != VALUE_FILE)
        add_in_query(json, spec, false);
}

static void add_property(struct json *json, const struct param_spec *spec)
{
    add_param(json, spec->name, spec);
}

/* A form without parts has no files. */
static void add_text_property(struct json *json, const struct param_spec *spec)
{
    static const char *const nothing[] = {"", NULL};
    struct param_spec text = *spec;
    if (spec->type.kind == VALUE_FILE)
        text.type = (struct value_type){.kind = VALUE_CHOICE, .words = nothing};
    add_param(json, spec->name, &text);
}

static void add_if_required(struct json *json, const struct param_spec *spec)
{
    if (is_required(spec))
        json_text(json, NULL, spec->name);
}

static void for_each_param(struct json *json, const struct param_spec *specs,
                           void (*visit)(struct json *json, const struct param_spec *spec))
{
    for (const struct param_spec *spec = specs; spec != NULL && spec->name != NULL; spec++) {
        if (param_parts(spec) != NULL)
            for_each_param(json, param_parts(spec), visit);
        else if (!spec->is_elsewhere)
            visit(json, spec);
    }
}

/* In words, as a query has no others. */
static void describe_alternatives(struct json *json, const struct param_spec *specs)
{
    struct buffer words = {0};
    for (const struct param_spec *spec = specs; spec != NULL && spec->name != NULL; spec++) {
        const char *between = "Exactly one of ";
        for (const struct param_spec *one = spec->one_of; one != NULL && one->name != NULL; one++) {
            if (one->is_elsewhere)
                continue;
            buffer_add_format(&words, "%s%s", between, one->name);
            between = ", ";
        }
    }
    if (words.length > 0)
        json_text(json, "description", words.data);
    buffer_free(&words);
}

void schema_query(struct json *json, const struct param_spec *specs)
{
    bool has_file = param_file(specs, NULL) != NULL;
    for_each_param(json, specs, has_file ? add_beside_file : add_query_param);
}

void schema_file(struct json *json, const char *name)
{
    static const struct param_spec file = {.type.kind = VALUE_FILE};
    add_param(json, name, &file);
}

/* "true" and nothing else means the variant. */
static void add_variant(struct json *json, const char *variant, bool is_meant)
{
    json_object(json, variant);
    json_text(json, "type", "string");
    if (!is_meant)
        json_object(json, "not");
    json_text(json, "const", "true");
    if (!is_meant)
        json_end_object(json);
    json_end_object(json);
}

void schema_form(struct json *json, const char *name, const struct operation *operation,
                 const char *variant, bool in_parts)
{
    json_object(json, name);
    json_text(json, "title", operation->summary);
    describe_alternatives(json, operation->params);
    json_text(json, "type", "object");
    json_object(json, "properties");
    if (variant != NULL)
        add_variant(json, variant, operation->variant != NULL);
    for_each_param(json, operation->params, in_parts ? add_property : add_text_property);
    json_end_object(json);
    json_array(json, "required");
    if (operation->variant != NULL)
        json_text(json, NULL, operation->variant);
    for_each_param(json, operation->params, add_if_required);
    json_end_array(json);
    json_end_object(json);
}

/* What they answer ----------------------------------------------------------------------------- */

static void add_fields(struct json *json, const struct field *shape, const char *status);

static void describe_value(struct json *json, const struct field *field)
{
    static const char *const types[] = {
        [FIELD_TEXT] = "string",        [FIELD_ID] = "integer",     [FIELD_INTEGER] = "integer",
        [FIELD_TIME] = "integer",       [FIELD_DECIMAL] = "number", [FIELD_PART] = "integer",
        [FIELD_TWO_DIGITS] = "integer",
    };
    if (field->nullable) {
        json_array(json, "type");
        json_text(json, NULL, types[field->kind]);
        json_text(json, NULL, "null");
        json_end_array(json);
    } else {
        json_text(json, "type", types[field->kind]);
    }
    if (field->kind == FIELD_ID) {
        json_integer(json, "minimum", 1);
        json_integer(json, "maximum", id_most);
    }
}

static void describe_list(struct json *json, const struct field *field)
{
    json_text(json, "type", "array");
    json_object(json, "items");
    if (field->shape != NULL)
        add_fields(json, field->shape, NULL);
    else
        json_text(json, "type", "string");
    json_end_object(json);
}

static void add_field(struct json *json, const struct field *field)
{
    json_object(json, field->name);
    if (field->kind == FIELD_OBJECT)
        add_fields(json, field->shape, NULL);
    else if (field->kind == FIELD_LIST || field->kind == FIELD_STREAM)
        describe_list(json, field);
    else
        describe_value(json, field);
    json_end_object(json);
}

static void add_status(struct json *json, const char *status)
{
    json_object(json, "status");
    json_text(json, "type", "string");
    json_text(json, "const", status);
    json_end_object(json);
}

/* The status is that of the whole answer; NULL: none. */
static void add_fields(struct json *json, const struct field *shape, const char *status)
{
    json_text(json, "type", "object");
    json_object(json, "properties");
    if (status != NULL)
        add_status(json, status);
    for (const struct field *row = shape; row != NULL && row->name != NULL; row++)
        add_field(json, row);
    json_end_object(json);
    json_array(json, "required");
    if (status != NULL)
        json_text(json, NULL, "status");
    for (const struct field *row = shape; row != NULL && row->name != NULL; row++)
        if (!row->optional)
            json_text(json, NULL, row->name);
    json_end_array(json);
}

void schema_success(struct json *json, const char *name, const struct field *shape)
{
    json_object(json, name);
    add_fields(json, shape, "SUCCESS");
    json_end_object(json);
}
