#include "http/field.h"

#include <string.h>
#include <strings.h>

#include "base/crypto.h"
#include "base/text.h"

#define WORD "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define TOKEN "!#$%&'*+-.^_`|~" WORD

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

/* What is behind the charset and, within quotes, a language that says nothing here; NULL: that is
 * not how it begins. */
static const char *skip_charset(const struct field_parameter *parameter)
{
    static const char charset[] = "UTF-8'";
    const char *at = parameter->value;
    if (parameter->is_quoted || strncasecmp(at, charset, strlen(charset)) != 0)
        return NULL;
    at += strlen(charset);
    at += strspn(at, "-" WORD);
    return *at == '\'' ? at + 1 : NULL;
}

/* How many characters stand for the next byte; 0: none may stand there so. */
static size_t read_byte(const char *at, char *byte)
{
    static const char themselves[] = "!#$&+-.^_`|~" WORD;
    unsigned char escaped;
    *byte = *at;
    if (*at != '%')
        return strchr(themselves, *at) != NULL;
    const char digits[] = {at[1], at[1] != '\0' ? at[2] : '\0', '\0'};
    if (!crypto_from_hex(digits, &escaped, sizeof escaped))
        return 0;
    *byte = (char)escaped;
    return strlen("%") + strlen(digits);
}

bool field_is_extended(const struct field_parameter *parameter, size_t *length)
{
    const char *at = skip_charset(parameter), *end = parameter->value + parameter->value_length;
    char bytes[FIELD_EXTENDED_MOST];
    size_t step;
    *length = 0;
    if (at == NULL || (size_t)(end - at) > sizeof bytes)
        return false;
    for (; at < end; at += step)
        if ((step = read_byte(at, &bytes[(*length)++])) == 0)
            return false;
    return text_is_valid(bytes, *length);
}
