#include "http/form.h"

#include <string.h>

#include "base/text.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes into a copy with a NUL after it; NULL where an escape is broken or the bytes are no text.
 */
static const char *decode(const char *encoded, size_t length, struct arena *arena, bool *is_text)
{
    char *decoded = arena_copy(arena, encoded, length);
    char *out = decoded;
    for (size_t i = 0; i < length; i++) {
        if (encoded[i] == '%') {
            int high = i + 2 < length ? hex_digit(encoded[i + 1]) : -1;
            int low = high >= 0 ? hex_digit(encoded[i + 2]) : -1;
            if (low < 0)
                return NULL;
            *out++ = (char)(high << 4 | low);
            i += 2;
        } else {
            *out++ = encoded[i] == '+' ? ' ' : encoded[i];
        }
    }
    *out = '\0';
    *is_text = text_is_valid(decoded, (size_t)(out - decoded));
    return decoded;
}

static enum status check(const struct form *form, const char *name, bool value_is_text)
{
    if (form->count == FORM_PARAMETERS_MOST)
        return STATUS_REQUEST_TOO_LARGE;
    if (!value_is_text)
        return STATUS_PARAMETER_INVALID;
    return form_find(form, name) != NULL ? STATUS_PARAMETER_DUPLICATE : STATUS_OK;
}

static void refuse(struct form *form, enum status status, const char *name)
{
    if (form->status != STATUS_OK)
        return;
    form->status = status;
    form->refused = name;
}

static void add(struct form *form, const char *pair, size_t length, struct arena *arena)
{
    const char *equals = memchr(pair, '=', length);
    size_t name_length = equals != NULL ? (size_t)(equals - pair) : length;
    size_t value_start = equals != NULL ? name_length + 1 : length;
    bool name_is_text = false, value_is_text = false;
    const char *name = decode(pair, name_length, arena, &name_is_text);
    const char *value = decode(pair + value_start, length - value_start, arena, &value_is_text);
    enum status status = STATUS_MALFORMED_REQUEST;
    if (name != NULL && value != NULL && name_is_text && *name != '\0')
        status = check(form, name, value_is_text);
    if (status == STATUS_OK)
        form->parameters[form->count++] = (struct pair){name, value};
    else
        refuse(form, status, name);
}

void form_decode(struct form *form, const char *encoded, size_t length, struct arena *arena)
{
    const char *end = encoded + length;
    while (encoded < end &&
           (form->status == STATUS_OK || form->status == STATUS_PARAMETER_INVALID)) {
        const char *ampersand = memchr(encoded, '&', (size_t)(end - encoded));
        const char *stop = ampersand != NULL ? ampersand : end;
        if (stop > encoded)
            add(form, encoded, (size_t)(stop - encoded), arena);
        encoded = stop + 1;
    }
}

static const char *find(const struct form *form, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(form->parameters[i].name, name) == 0)
            return form->parameters[i].value;
    return NULL;
}

const char *form_find(const struct form *form, const char *name)
{
    return find(form, form->count, name);
}

bool form_is_in_address(const struct form *form, const char *name)
{
    return find(form, form->in_address, name) != NULL;
}
