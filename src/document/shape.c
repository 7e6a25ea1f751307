#include "document/shape.h"

#include <string.h>

#include "base/date.h"

static const char *at(const struct field *field, const void *base)
{
    return (const char *)base + field->offset;
}

static const char *text_at(const struct field *field, const void *base)
{
    const char *text;
    memcpy(&text, at(field, base), sizeof text);
    return text;
}

static int64_t integer_at(const struct field *field, const void *base)
{
    int64_t integer;
    memcpy(&integer, at(field, base), sizeof integer);
    return integer;
}

static int part_at(const struct field *field, const void *base)
{
    int part;
    memcpy(&part, at(field, base), sizeof part);
    return part;
}

struct field_list field_list(const struct field *field, const void *base)
{
    struct field_list list;
    memcpy(&list, at(field, base), sizeof list);
    return list;
}

static bool any_is_set(const struct field *shape, const void *base)
{
    while (shape->name != NULL && !field_is_set(shape, base))
        shape++;
    return shape->name != NULL;
}

bool field_is_set(const struct field *field, const void *base)
{
    switch (field->kind) {
    case FIELD_TEXT:
    case FIELD_LINK:
    case FIELD_DECIMAL:
        return text_at(field, base) != NULL;
    case FIELD_ID:
    case FIELD_INTEGER:
        return integer_at(field, base) != 0;
    case FIELD_TIME:
        return integer_at(field, base) != TIME_NONE;
    case FIELD_PART:
    case FIELD_TWO_DIGITS:
        return part_at(field, base) != 0;
    case FIELD_OBJECT:
        return any_is_set(field->shape, at(field, base));
    case FIELD_LIST:
        return field_list(field, base).count > 0;
    case FIELD_STREAM:
        break;
    }
    return false;
}

const char *field_text(const struct field *field, const void *base,
                       char digits[static FIELD_DIGITS_SIZE])
{
    switch (field->kind) {
    case FIELD_TEXT:
    case FIELD_LINK:
    case FIELD_DECIMAL:
        return field_is_set(field, base) ? text_at(field, base) : "";
    case FIELD_ID:
    case FIELD_INTEGER:
    case FIELD_TIME:
        return text_from_integer(integer_at(field, base), digits);
    case FIELD_PART:
    case FIELD_TWO_DIGITS:
        return text_from_integer(part_at(field, base), digits);
    case FIELD_OBJECT:
    case FIELD_LIST:
    case FIELD_STREAM:
        break;
    }
    return "";
}
