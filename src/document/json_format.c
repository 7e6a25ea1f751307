/*
 * JSON as a format: an element with children is an object, a list is an array, and any other the
 * value of its kind; so the names are those of XML, but for those of items.
 */
#include "document/format.h"
#include "document/json.h"

static struct json json_of(const struct writing *writing)
{
    return (struct json){writing->root, writing->out};
}

static void begin(struct writing *writing)
{
    struct json json = json_new(writing->out);
    json_object(&json, NULL);
    writing->root = json.generator;
}

static void leaf(struct writing *writing, const struct field *field, const void *base)
{
    char digits[FIELD_DIGITS_SIZE];
    struct json json = json_of(writing);
    const char *text = field_text(field, base, digits);
    bool is_none = field->kind == FIELD_ID && !field_is_set(field, base);
    if (field->kind == FIELD_TEXT)
        json_text(&json, field->name, text);
    else
        json_literal(&json, field->name, is_none ? NULL : text);
}

static void open_object(struct writing *writing, const struct field *field, size_t position)
{
    struct json json = json_of(writing);
    json_object(&json, position == 0 ? field->name : NULL);
}

static void close_object(struct writing *writing)
{
    struct json json = json_of(writing);
    json_end_object(&json);
}

static void open_list(struct writing *writing, const struct field *field)
{
    struct json json = json_of(writing);
    json_array(&json, field->name);
}

static void close_list(struct writing *writing, size_t count)
{
    struct json json = json_of(writing);
    (void)count;
    json_end_array(&json);
}

static void item(struct writing *writing, const struct field *field, size_t position,
                 const char *text)
{
    struct json json = json_of(writing);
    (void)field, (void)position;
    json_text(&json, NULL, text);
}

static void end(struct writing *writing)
{
    struct json json = json_of(writing);
    json_end_object(&json);
    json_end(&json);
    writing->root = NULL;
}

static void drop(struct writing *writing)
{
    struct json json = json_of(writing);
    json_free(&json);
    writing->root = NULL;
}

const struct format format_json = {
    .name = "JSON",
    .content_type = "application/json",
    .begin = begin,
    .leaf = leaf,
    .open_object = open_object,
    .close_object = close_object,
    .open_list = open_list,
    .close_list = close_list,
    .item = item,
    .end = end,
    .drop = drop,
};
