#include "document/json.h"

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

void json_indent(struct json *json)
{
    yajl_gen_config(json->generator, yajl_gen_beautify, 1);
    yajl_gen_config(json->generator, yajl_gen_indent_string, "  ");
}

void json_restart(struct json *json)
{
    yajl_gen_reset(json->generator, NULL);
}

void json_free(struct json *json)
{
    yajl_gen_free(json->generator);
    json->generator = NULL;
}

void json_end(struct json *json)
{
    buffer_add_text(json->out, "\n");
    json_free(json);
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
    if (text != NULL)
        add_string(json, text);
    else
        yajl_gen_null(json->generator);
}

/* yajl writes a number as it is given. */
void json_literal(struct json *json, const char *name, const char *literal)
{
    add_name(json, name);
    if (literal != NULL)
        yajl_gen_number(json->generator, literal, strlen(literal));
    else
        yajl_gen_null(json->generator);
}

void json_integer(struct json *json, const char *name, int64_t integer)
{
    char digits[TEXT_INTEGER_SIZE];
    json_literal(json, name, text_from_integer(integer, digits));
}
