#include "document/document.h"

/* What every answer begins with. */
struct head {
    const char *status, *info;
};

static const struct field head_shape[] = {
    {ROW("status", TEXT, offsetof(struct head, status)), .optional = true},
    {ROW("info", TEXT, offsetof(struct head, info)), .optional = true},
    SHAPE_END,
};

static const struct field nothing_more[] = {SHAPE_END};

static void write_shape(const struct format *format, struct writing *writing,
                        const struct field *shape, const void *base);

static void write_object(const struct format *format, struct writing *writing,
                         const struct field *field, size_t position, const void *object)
{
    format->open_object(writing, field, position);
    write_shape(format, writing, field->shape, object);
    format->close_object(writing);
}

static void write_item(const struct format *format, struct writing *writing,
                       const struct field *field, size_t position, const void *item)
{
    write_object(format, writing, field, position, item);
    if (field == writing->by_item && format->flush != NULL)
        format->flush(writing);
}

static void write_list(const struct format *format, struct writing *writing,
                       const struct field *field, const void *base)
{
    struct field_list list = field_list(field, base);
    format->open_list(writing, field);
    for (size_t i = 0; i < list.count; i++)
        if (field->shape == NULL)
            format->item(writing, field, i + 1, ((const char *const *)list.items)[i]);
        else
            write_item(format, writing, field, i + 1, (const char *)list.items + i * field->size);
    format->close_list(writing, list.count);
}

static void write_field(const struct format *format, struct writing *writing,
                        const struct field *field, const void *base)
{
    if (field->optional && !field_is_set(field, base))
        return;
    if (field->kind == FIELD_OBJECT)
        write_object(format, writing, field, 0, (const char *)base + field->offset);
    else if (field->kind == FIELD_LIST)
        write_list(format, writing, field, base);
    else
        format->leaf(writing, field, base);
}

/* Up to the end, or to a list that is streamed: the row where it stopped. */
static const struct field *write_fields(const struct format *format, struct writing *writing,
                                        const struct field *row, const void *base)
{
    for (; row->name != NULL && row->kind != FIELD_STREAM; row++)
        write_field(format, writing, row, base);
    return row;
}

static void write_shape(const struct format *format, struct writing *writing,
                        const struct field *shape, const void *base)
{
    (void)write_fields(format, writing, shape, base);
}

static void begin(const struct format *format, struct writing *writing, const struct head *head)
{
    format->begin(writing);
    if (!format->is_bare)
        write_shape(format, writing, head_shape, head);
}

static const struct field *begin_success(struct document *document)
{
    static const struct head success = {.status = "SUCCESS"};
    begin(document->format, &document->writing, &success);
    return write_fields(document->format, &document->writing, document->shape, document->output);
}

/* What is streamed; else the first list of objects. */
static const struct field *list_by_item(const struct field *shape)
{
    const struct field *first = NULL;
    for (; shape->name != NULL && shape->kind != FIELD_STREAM; shape++)
        if (first == NULL && shape->kind == FIELD_LIST && shape->shape != NULL)
            first = shape;
    return shape->name != NULL ? shape : first;
}

struct document document_new(const struct format *format, const struct field *shape,
                             const void *output, struct buffer *out)
{
    if (shape == NULL)
        shape = nothing_more;
    return (struct document){.format = format,
                             .shape = shape,
                             .output = output,
                             .writing = {.out = out, .by_item = list_by_item(shape)}};
}

static void open_stream(struct document *document, const struct field *row)
{
    document->streamed = row;
    document->format->open_list(&document->writing, row);
}

void document_item(struct document *document, const void *item)
{
    if (document->streamed == NULL)
        open_stream(document, begin_success(document));
    write_item(document->format, &document->writing, document->streamed, ++document->count, item);
}

void document_finish(struct document *document)
{
    const struct format *format = document->format;
    struct writing *writing = &document->writing;
    const struct field *row = document->streamed;
    if (row == NULL)
        row = begin_success(document);
    if (row->kind == FIELD_STREAM && document->streamed == NULL && !row->optional)
        open_stream(document, row);
    if (document->streamed != NULL)
        format->close_list(writing, document->count);
    if (row->name != NULL)
        write_shape(format, writing, row + 1, document->output);
    format->end(writing);
}

void document_drop(struct document *document)
{
    if (document->writing.root != NULL)
        document->format->drop(&document->writing);
}

void document_refuse(const struct format *format, const char *info, struct buffer *out)
{
    struct writing writing = {.out = out};
    format = format_of_refusals(format);
    begin(format, &writing, &(struct head){"FAILED", info});
    format->end(&writing);
}
