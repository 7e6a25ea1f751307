#include "rows/row.h"

#include <stdio.h>
#include <string.h>

#include "base/crypto.h"

/* Where a column stands in a GeoJSON feature. */
static const struct field *find_in_feature(const struct import_reader *reader,
                                           const struct row *row, const char *name)
{
    static const char *const places[][3] = {
        {"id", "id", "properties.@id"},
        {"lat", "geometry.coordinates.1", NULL},
        {"lng", "geometry.coordinates.0", NULL},
    };
    char path[64];
    const struct field *field = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (size_t k = 1; k < 3 && strcmp(name, places[i][0]) == 0 && places[i][k] != NULL; k++)
            if ((field = row_find(row, places[i][k])) != NULL)
                return field;
    if (reader->mapping != NULL && strcmp(name, "name") == 0)
        return mapping_name(reader->mapping, row);
    snprintf(path, sizeof path, "properties.%s", name);
    return row_find(row, path);
}

const struct field *import_row_find(const struct import_reader *reader, const struct row *row,
                                    const char *name)
{
    return reader->geojson ? find_in_feature(reader, row, name) : row_find(row, name);
}

struct row_fault import_row_wrong(const struct import_reader *reader, const struct row *row,
                                  const struct field *field, const char *name, const char *reason)
{
    return (struct row_fault){
        .line = field != NULL ? field->line : row->line,
        .column = field != NULL ? field->column : row->column,
        .reason = arena_format(reader->arena, "%s: %s", name, reason),
    };
}

static bool names_user(const char *name)
{
    return strcmp(name, "owner") == 0 || strcmp(name, "author") == 0 || strcmp(name, "user") == 0;
}

/* What stands for a field that is not there. */
static const char *fallback(const struct import_reader *reader, const char *name)
{
    if (names_user(name))
        return reader->owner;
    return strcmp(name, "passwordHash") == 0 ? reader->password_hash : NULL;
}

static struct row_fault refuse_value(const struct import_reader *reader, const struct row *row,
                                     const struct field *field, const struct parameter *column)
{
    struct buffer reason = {0};
    struct row_fault fault = import_row_wrong(reader, row, field, column->name,
                                              value_refusal(&column->type, NULL, &reason));
    buffer_free(&reason);
    return fault;
}

/* As the database is told it: a time has one form there. */
static const char *stored(const struct import_reader *reader, const struct parameter *column,
                          const struct typed_value *value)
{
    struct buffer text = {0};
    if (column->type.kind != VALUE_TIME)
        return value->text;
    value_print(&column->type, value->number, &text);
    const char *copy = arena_copy(reader->arena, text.data, text.length);
    buffer_free(&text);
    return copy;
}

static struct row_fault read_column(struct import_reader *reader, const struct row *row,
                                    size_t index)
{
    struct typed_value value;
    const struct parameter *column = &reader->columns[index];
    const char *mapped = NULL;
    bool by_tags = reader->mapping != NULL && strcmp(column->name, "category") == 0;
    const struct field *field = by_tags ? mapping_category(reader->mapping, row, &mapped)
                                        : import_row_find(reader, row, column->name);
    reader->texts[index] = fallback(reader, column->name);
    if (field == NULL || *field->text == '\0')
        return column->required && reader->texts[index] == NULL
                   ? import_row_wrong(reader, row, NULL, column->name,
                                      by_tags ? "no tag that the mapping has" : "missing")
                   : (struct row_fault){0};
    reader->texts[index] = by_tags ? mapped : field->text;
    if (!by_tags && field->fault != NULL) {
        reader->texts[index] = NULL;
        return import_row_wrong(reader, row, field, column->name, field->fault);
    }
    if (value_read(&column->type, reader->texts[index], &value) != STATUS_OK)
        return refuse_value(reader, row, field, column);
    reader->texts[index] = stored(reader, column, &value);
    return (struct row_fault){0};
}

/* A name that is no column is a mistake, but for those of the rejects file. GeoJSON has any. */
static bool is_known(const struct import_reader *reader, const char *name)
{
    static const char *const others[] = {"id", "source", "line", "column", "reason", NULL};
    for (size_t i = 0; others[i] != NULL; i++)
        if (strcmp(name, others[i]) == 0)
            return true;
    for (const struct parameter *column = reader->columns; column->name != NULL; column++)
        if (strcmp(name, column->name) == 0)
            return true;
    return false;
}

/* Of a header, which is told once, with the names that there are. */
static const char *unknown_name(const struct import_reader *reader, const struct row *row)
{
    const char *reason = "no such column";
    if (!row->is_header)
        return reason;
    if (row->count == 1 && strpbrk(row->fields[0].name, ";\t|") != NULL)
        return "no such column; fields are separated by commas, not by semicolons or tabs";
    reason = arena_format(reader->arena, "%s; there are id, source", reason);
    for (const struct parameter *column = reader->columns; column->name != NULL; column++)
        reason = arena_format(reader->arena, "%s, %s", reason, column->name);
    return reason;
}

static struct row_fault check_names(const struct import_reader *reader, const struct row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        const struct field *field = &row->fields[i];
        if (!is_known(reader, field->name))
            return import_row_wrong(reader, row, field, field->name, unknown_name(reader, row));
        if (row_find(row, field->name) != field)
            return import_row_wrong(reader, row, field, field->name, "stands twice");
    }
    return (struct row_fault){0};
}

static struct row_fault check_geometry(const struct import_reader *reader, const struct row *row)
{
    const struct field *type = row_find(row, "geometry.type");
    if (!reader->geojson || (type != NULL && strcmp(type->text, "Point") == 0))
        return (struct row_fault){0};
    return import_row_wrong(reader, row, type, "geometry", "not a Point");
}

struct row_fault import_row_check_header(struct import_reader *reader, const struct row *header)
{
    reader->has_header = true;
    if (header->fault != NULL)
        return (struct row_fault){header->line, header->column, header->fault};
    return check_names(reader, header);
}

/* The rejects file shows what there is of the row. */
static struct row_fault take_as_it_is(struct import_reader *reader, const struct row *row)
{
    for (size_t i = 0; reader->columns[i].name != NULL; i++) {
        const struct field *field = import_row_find(reader, row, reader->columns[i].name);
        reader->texts[i] = field != NULL ? field->text : NULL;
    }
    return (struct row_fault){row->line, row->column, row->fault};
}

struct row_fault import_row_read(struct import_reader *reader, const struct row *row)
{
    if (row->fault != NULL)
        return take_as_it_is(reader, row);
    struct row_fault fault = {0};
    if (!reader->has_header && !reader->geojson)
        fault = check_names(reader, row);
    if (fault.reason == NULL)
        fault = check_geometry(reader, row);
    for (size_t i = 0; reader->columns[i].name != NULL; i++) {
        struct row_fault of_column = read_column(reader, row, i);
        if (fault.reason == NULL)
            fault = of_column;
    }
    return fault;
}

/* A row without an identifier has one made of what it says. */
const char *import_row_identify(struct import_reader *reader, const struct row *row)
{
    enum { DIGITS = 32 };
    unsigned char hash[CRYPTO_DIGEST_SIZE];
    char digits[CRYPTO_DIGEST_DIGITS + 1];
    struct buffer said = {0};
    const struct field *field = import_row_find(reader, row, "id");
    if (field != NULL && *field->text != '\0')
        return field->text;
    for (size_t i = 0; reader->columns[i].name != NULL; i++)
        if (reader->texts[i] != reader->password_hash)
            buffer_add_format(&said, "%s=%s\n", reader->columns[i].name,
                              reader->texts[i] != NULL ? reader->texts[i] : "");
    crypto_digest(said.data, said.length, hash);
    buffer_free(&said);
    crypto_to_hex(hash, sizeof hash, digits);
    return arena_format(reader->arena, "hash-%.*s", DIGITS, digits);
}

/* Of a feature, a member of its own: as a property, many have a source that is something else. */
const char *import_row_source(const struct import_reader *reader, const struct row *row)
{
    const struct field *field = row_find(row, "source");
    return field != NULL && *field->text != '\0' ? field->text : reader->source;
}
