#include "http/field.h"

#include <string.h>
#include <strings.h>

#define TOKEN "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

size_t field_token(const char *text)
{
    return strspn(text, TOKEN);
}

/* Where the quotes are closed; NULL: nowhere. */
static const char *end_of_quoted(const char *at)
{
    for (; *at != '\0' && *at != '"'; at++)
        if (*at == '\\' && (at[1] == '"' || at[1] == '\\'))
            at++;
    return *at == '"' ? at : NULL;
}

/* Without quotes it should be a token; boundaries may have more in them, and come so, too. */
static const char *read_value(const char *at, struct field_parameter *parameter)
{
    parameter->is_quoted = *at == '"';
    parameter->value = parameter->is_quoted ? at + 1 : at;
    const char *end =
        parameter->is_quoted ? end_of_quoted(at + 1) : at + strspn(at, TOKEN "(),/:=?");
    if (end == NULL || (!parameter->is_quoted && end == at))
        return NULL;
    parameter->value_length = (size_t)(end - parameter->value);
    return parameter->is_quoted ? end + 1 : end;
}

enum status field_next(const char **at, struct field_parameter *parameter)
{
    static const char blanks[] = " \t";
    const char *from = *at + strspn(*at, blanks);
    if (*from != ';' && *from != '\0')
        return STATUS_MALFORMED_REQUEST;
    from += strspn(from, " \t;");
    if (*from == '\0')
        return STATUS_NOT_FOUND;
    parameter->name = from;
    parameter->name_length = field_token(from);
    from += parameter->name_length;
    const char *end =
        parameter->name_length > 0 && *from == '=' ? read_value(from + 1, parameter) : NULL;
    if (end == NULL)
        return STATUS_MALFORMED_REQUEST;
    *at = end;
    return STATUS_OK;
}

bool field_is(const struct field_parameter *parameter, const char *name)
{
    return strlen(name) == parameter->name_length &&
           strncasecmp(parameter->name, name, parameter->name_length) == 0;
}
