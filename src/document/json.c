/*
 * JSON (RFC 8259), by yajl. An element with children is an object, a list is an array, and any
 * other the value of its kind; so the names are those of XML, but for those of items.
 */
#include <string.h>
#include <yajl/yajl_gen.h>

#include "base/memory.h"
#include "document/format.h"

static void add_bytes(void *out, const char *bytes, size_t length)
{
    buffer_add(out, bytes, length);
}

static void add_string(yajl_gen generator, const char *text)
{
    yajl_gen_string(generator, (const unsigned char *)text, strlen(text));
}

static void begin(struct writing *writing)
{
    yajl_gen generator = memory_required(yajl_gen_alloc(NULL));
    yajl_gen_config(generator, yajl_gen_print_callback, add_bytes, writing->out);
    yajl_gen_map_open(generator);
    writing->root = generator;
}

static void value(struct writing *writing, const struct field *field, const void *base)
{
    char digits[FIELD_DIGITS_SIZE];
    const char *text = field_text(field, base, digits);
    add_string(writing->root, field->name);
    if (field->kind == FIELD_TEXT)
        add_string(writing->root, text);
    else if (field->kind == FIELD_ID && !field_is_set(field, base))
        yajl_gen_null(writing->root);
    else
        yajl_gen_number(writing->root, text, strlen(text));
}

static void open_object(struct writing *writing, const struct field *field, size_t position)
{
    if (position == 0)
        add_string(writing->root, field->name);
    yajl_gen_map_open(writing->root);
}

static void close_object(struct writing *writing)
{
    yajl_gen_map_close(writing->root);
}

static void open_list(struct writing *writing, const struct field *field)
{
    add_string(writing->root, field->name);
    yajl_gen_array_open(writing->root);
}

static void close_list(struct writing *writing, size_t count)
{
    (void)count;
    yajl_gen_array_close(writing->root);
}

/* Everything is in the buffer as soon as it is written. */
static void flush(struct writing *writing)
{
    (void)writing;
}

static void drop(struct writing *writing)
{
    yajl_gen_free(writing->root);
    writing->root = NULL;
}

static void end(struct writing *writing)
{
    yajl_gen_map_close(writing->root);
    buffer_add_text(writing->out, "\n");
    drop(writing);
}

const struct format format_json = {
    .name = "JSON",
    .content_type = "application/json",
    .begin = begin,
    .value = value,
    .open_object = open_object,
    .close_object = close_object,
    .open_list = open_list,
    .close_list = close_list,
    .flush = flush,
    .end = end,
    .drop = drop,
};
