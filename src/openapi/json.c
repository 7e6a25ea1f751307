#include "openapi/json.h"

#include <string.h>
#include <yajl/yajl_gen.h>

#include "base/memory.h"
#include "base/text.h"

static void add_bytes(void *out, const char *bytes, size_t length)
{
    buffer_add(out, bytes, length);
}

struct json json_new(struct buffer *out)
{
    struct json json = {.generator = memory_required(yajl_gen_alloc(NULL)), .out = out};
    yajl_gen_config(json.generator, yajl_gen_print_callback, add_bytes, out);
    return json;
}

void json_free(struct json *json)
{
    yajl_gen_free(json->generator);
    buffer_add_text(json->out, "\n");
}

static void add_string(struct json *json, const char *text)
{
    yajl_gen_string(json->generator, (const unsigned char *)text, strlen(text));
}

static void add_name(struct json *json, const char *name)
{
    if (name != NULL)
        add_string(json, name);
}

void json_object(struct json *json, const char *name)
{
    add_name(json, name);
    yajl_gen_map_open(json->generator);
}

void json_end_object(struct json *json)
{
    yajl_gen_map_close(json->generator);
}

void json_array(struct json *json, const char *name)
{
    add_name(json, name);
    yajl_gen_array_open(json->generator);
}

void json_end_array(struct json *json)
{
    yajl_gen_array_close(json->generator);
}

void json_text(struct json *json, const char *name, const char *text)
{
    add_name(json, name);
    add_string(json, text);
}

void json_number(struct json *json, const char *name, const char *digits)
{
    add_name(json, name);
    yajl_gen_number(json->generator, digits, strlen(digits));
}

void json_integer(struct json *json, const char *name, int64_t integer)
{
    char digits[TEXT_INTEGER_SIZE];
    json_number(json, name, text_from_integer(integer, digits));
}

void json_true(struct json *json, const char *name)
{
    add_name(json, name);
    yajl_gen_bool(json->generator, true);
}

void json_reference(struct json *json, const char *name, const char *kind, const char *target)
{
    char reference[128];
    strcpy(stpcpy(stpcpy(stpcpy(reference, "#/components/"), kind), "/"), target);
    json_object(json, name);
    json_text(json, "$ref", reference);
    json_end_object(json);
}
