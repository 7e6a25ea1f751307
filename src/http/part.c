#include "http/part.h"

#include <string.h>
#include <strings.h>

#include "http/field.h"

static const char blanks[] = " \t";

/* Names without a value were not there. */
struct found {
    bool has_disposition;
    struct field_parameter name, file_name, extended_name;
    size_t extended_length; /* of the text that it stands for */
};

static enum status keep(struct field_parameter *kept, const struct field_parameter *parameter)
{
    if (kept->value != NULL)
        return STATUS_MALFORMED_REQUEST;
    *kept = *parameter;
    return STATUS_OK;
}

/* "filename*" is none of this form's (RFC 7578, section 4.2), but some clients know no other way to
 * write a name beyond ASCII. What is not written so says nothing. */
static enum status read_parameter(const struct field_parameter *parameter, struct found *found)
{
    if (field_is(parameter, "name"))
        return keep(&found->name, parameter);
    if (field_is(parameter, "filename"))
        return keep(&found->file_name, parameter);
    if (field_is(parameter, "filename*") && field_is_extended(parameter, &found->extended_length))
        return keep(&found->extended_name, parameter);
    return STATUS_OK;
}

static enum status read_disposition(const char *value, struct found *found)
{
    struct field_parameter parameter;
    size_t length = field_token(value);
    if (found->has_disposition || length != strlen("form-data") ||
        strncasecmp(value, "form-data", length) != 0)
        return STATUS_MALFORMED_REQUEST;
    found->has_disposition = true;
    value += length;
    enum status status;
    while ((status = field_next(&value, &parameter)) == STATUS_OK)
        if (read_parameter(&parameter, found) != STATUS_OK)
            return STATUS_MALFORMED_REQUEST;
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

/* Those that leave the bytes as they are: RFC 2045, section 6.2. */
static enum status read_encoding(const char *value, struct found *found)
{
    static const char *const identities[] = {"7bit", "8bit", "binary"};
    size_t length = field_token(value);
    (void)found;
    for (size_t i = 0; i < sizeof identities / sizeof *identities; i++)
        if (length == strlen(identities[i]) && strncasecmp(value, identities[i], length) == 0 &&
            value[length + strspn(value + length, blanks)] == '\0')
            return STATUS_OK;
    return STATUS_MALFORMED_REQUEST;
}

static const struct {
    const char *name;
    enum status (*read)(const char *value, struct found *found);
} fields[] = {
    {"Content-Disposition", read_disposition},
    {"Content-Transfer-Encoding", read_encoding},
};

static enum status read_line(const char *line, struct found *found)
{
    size_t length = field_token(line);
    if (length == 0 || line[length] != ':')
        return STATUS_MALFORMED_REQUEST;
    const char *value = line + length + 1;
    value += strspn(value, blanks);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strlen(fields[i].name) == length && strncasecmp(line, fields[i].name, length) == 0)
            return fields[i].read(value, found);
    return STATUS_OK;
}

/* What three characters mean that browsers escape, and no others (HTML Standard, "multipart form
 * data"); 0: they mean themselves. */
static char unescaped(const char *at, size_t length)
{
    if (length < 3)
        return 0;
    if (strncasecmp(at, "%0D", 3) == 0)
        return '\r';
    if (strncasecmp(at, "%0A", 3) == 0)
        return '\n';
    return strncmp(at, "%22", 3) == 0 ? '"' : 0;
}

/* Never longer than it was, and never before where it is written. */
static void decode(const struct field_parameter *parameter, char *out)
{
    const char *at = parameter->value, *end = at + parameter->value_length;
    for (; at < end; at++) {
        char meant = parameter->is_quoted ? unescaped(at, (size_t)(end - at)) : 0;
        if (meant != 0)
            at += 2;
        else if (parameter->is_quoted && *at == '\\' && (at[1] == '"' || at[1] == '\\'))
            at++;
        *out++ = meant != 0 ? meant : *at;
    }
    *out = '\0';
}

static enum part_kind kind_of(const struct found *found)
{
    size_t length = found->file_name.value_length;
    if (found->file_name.value == NULL)
        length = found->extended_length;
    if (found->file_name.value == NULL && found->extended_name.value == NULL)
        return PART_TEXT;
    return length > 0 ? PART_FILE : PART_ABSENT;
}

enum status part_read(char *headers, size_t length, struct part *part)
{
    struct found found = {0};
    enum status status = STATUS_OK;
    for (const char *line = headers; line < headers + length && status == STATUS_OK;
         line += strlen(line) + 1)
        status = read_line(line, &found);
    if (status != STATUS_OK || found.name.value == NULL)
        return STATUS_MALFORMED_REQUEST;
    part->kind = kind_of(&found);
    decode(&found.name, headers);
    part->name = headers;
    return STATUS_OK;
}
