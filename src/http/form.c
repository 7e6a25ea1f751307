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

static enum status check(const struct form *form, const char *name, bool name_is_text,
                         bool value_is_text)
{
    if (!name_is_text || *name == '\0')
        return STATUS_MALFORMED_REQUEST;
    if (form->count == FORM_PARAMETERS_MOST)
        return STATUS_REQUEST_TOO_LARGE;
    if (!value_is_text)
        return STATUS_PARAMETER_INVALID;
    return form_find(form, name) != NULL ? STATUS_PARAMETER_DUPLICATE : STATUS_OK;
}

void form_refuse(struct form *form, enum status status, const char *name)
{
    if (form->status != STATUS_OK)
        return;
    form->status = status;
    form->refused = name;
}

bool form_is_open(const struct form *form)
{
    return form->status == STATUS_OK || form->status == STATUS_PARAMETER_INVALID;
}

static void append(struct form *form, const char *name, const char *value, struct upload *upload)
{
    form->uploads[form->count] = upload;
    form->parameters[form->count++] = (struct pair){name, value};
}

/* A pair as it stands between two "&"; name or value is NULL where an escape is broken. */
struct decoded {
    const char *name, *value;
    bool name_is_text, value_is_text;
};

static struct decoded decode_pair(const char *pair, size_t length, struct arena *arena)
{
    struct decoded decoded = {0};
    const char *equals = memchr(pair, '=', length);
    size_t name_length = equals != NULL ? (size_t)(equals - pair) : length;
    size_t value_start = equals != NULL ? name_length + 1 : length;
    decoded.name = decode(pair, name_length, arena, &decoded.name_is_text);
    decoded.value = decode(pair + value_start, length - value_start, arena, &decoded.value_is_text);
    return decoded;
}

static bool take_pair(void *context, const struct decoded *pair)
{
    struct form *form = context;
    enum status status = STATUS_MALFORMED_REQUEST;
    if (pair->name != NULL && pair->value != NULL)
        status = check(form, pair->name, pair->name_is_text, pair->value_is_text);
    if (status == STATUS_OK)
        append(form, pair->name, pair->value, NULL);
    else
        form_refuse(form, status, pair->name);
    return form_is_open(form);
}

/* Hands over each pair, up to an answer of false. */
static void for_each_pair(const char *encoded, size_t length, struct arena *arena,
                          bool (*take)(void *context, const struct decoded *pair), void *context)
{
    const char *end = encoded + length;
    bool goes_on = true;
    while (encoded < end && goes_on) {
        const char *ampersand = memchr(encoded, '&', (size_t)(end - encoded));
        const char *stop = ampersand != NULL ? ampersand : end;
        if (stop > encoded) {
            const struct decoded pair = decode_pair(encoded, (size_t)(stop - encoded), arena);
            goes_on = take(context, &pair);
        }
        encoded = stop + 1;
    }
}

void form_decode(struct form *form, const char *encoded, size_t length, struct arena *arena)
{
    if (form_is_open(form))
        for_each_pair(encoded, length, arena, take_pair, form);
}

struct look {
    const char *name, *value;
    bool is_refused;
};

static bool look_at_pair(void *context, const struct decoded *pair)
{
    struct look *look = context;
    bool is_good =
        pair->name != NULL && pair->value != NULL && pair->name_is_text && *pair->name != '\0';
    if (is_good && strcmp(pair->name, look->name) == 0) {
        is_good = look->value == NULL || strcmp(look->value, pair->value) == 0;
        look->value = pair->value;
    }
    look->is_refused = !is_good;
    return is_good;
}

const char *form_look(const char *query, const char *name, struct arena *arena)
{
    struct look look = {.name = name};
    for_each_pair(query, strlen(query), arena, look_at_pair, &look);
    return look.is_refused ? NULL : look.value;
}

/* Copies no more than the form may have. */
static const char *copy_if_admitted(struct form *form, const char *name, bool value_is_text,
                                    struct arena *arena)
{
    size_t length = strlen(name);
    enum status status = check(form, name, text_is_valid(name, length), value_is_text);
    bool is_kept = status == STATUS_OK || form->status == STATUS_OK;
    const char *copy = is_kept ? arena_copy(arena, name, length) : NULL;
    if (status == STATUS_OK)
        return copy;
    form_refuse(form, status, copy);
    return NULL;
}

void form_add(struct form *form, const char *name, const char *value, size_t length,
              struct arena *arena)
{
    name = copy_if_admitted(form, name, text_is_valid(value, length), arena);
    if (name != NULL)
        append(form, name, arena_copy(arena, value, length), NULL);
}

bool form_add_upload(struct form *form, const char *name, const struct upload *upload,
                     struct arena *arena)
{
    name = copy_if_admitted(form, name, true, arena);
    if (name == NULL)
        return false;
    struct upload *own = arena_take(arena, sizeof *own);
    *own = *upload;
    own->name = name;
    append(form, name, own->digest_hex, own);
    return true;
}

void form_take_unnamed(struct form *form, const struct upload *upload, struct arena *arena)
{
    form->unnamed = arena_take(arena, sizeof *form->unnamed);
    *form->unnamed = *upload;
}

void form_name_upload(struct form *form, const char *name, struct arena *arena)
{
    if (form->unnamed != NULL && form_add_upload(form, name, form->unnamed, arena))
        form->unnamed = NULL;
}

void form_close(struct form *form)
{
    for (size_t i = 0; i < form->count; i++)
        if (form->uploads[i] != NULL)
            upload_close(form->uploads[i]);
    if (form->unnamed != NULL)
        upload_close(form->unnamed);
}

/* The number of the parameter among those; their count where there is none. */
static size_t find(const struct form *form, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(form->parameters[i].name, name) != 0)
        i++;
    return i;
}

const char *form_find(const struct form *form, const char *name)
{
    size_t i = find(form, form->count, name);
    return i < form->count ? form->parameters[i].value : NULL;
}

const struct upload *form_upload(const struct form *form, const char *name)
{
    size_t i = find(form, form->count, name);
    return i < form->count ? form->uploads[i] : NULL;
}

bool form_is_in_address(const struct form *form, const char *name)
{
    return find(form, form->in_address, name) < form->in_address;
}
