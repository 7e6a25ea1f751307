/* Form decoding: what is taken is text, and is the same when it is written and read again. */
#include "http/form.h"

#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "fuzz.h"

/* Every byte as an escape. */
static void add_escaped(struct buffer *out, const char *text)
{
    for (; *text != '\0'; text++)
        buffer_add_format(out, "%%%02x", (unsigned char)*text);
}

static void write_again(const struct form *form, struct buffer *out)
{
    for (size_t i = 0; i < form->count; i++) {
        buffer_add_text(out, "&");
        add_escaped(out, form->parameters[i].name);
        buffer_add_text(out, "=");
        add_escaped(out, form->parameters[i].value);
    }
}

static void require_same(const struct form *one, const struct form *other)
{
    REQUIRE(one->count == other->count);
    for (size_t i = 0; i < one->count; i++) {
        REQUIRE(strcmp(one->parameters[i].name, other->parameters[i].name) == 0);
        REQUIRE(strcmp(one->parameters[i].value, other->parameters[i].value) == 0);
    }
}

static void require_text(const struct form *form)
{
    REQUIRE(form->count <= FORM_PARAMETERS_MOST);
    for (size_t i = 0; i < form->count; i++) {
        const char *name = form->parameters[i].name, *value = form->parameters[i].value;
        REQUIRE(*name != '\0' && text_is_valid(name, strlen(name)));
        REQUIRE(text_is_valid(value, strlen(value)));
        REQUIRE(form_find(form, name) == value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    struct form form = {0}, again = {0};
    struct buffer written = {0};
    form_decode(&form, (const char *)data, size, arena);
    enum status status = form.status;
    require_text(&form);
    if (status == STATUS_PARAMETER_INVALID || status == STATUS_PARAMETER_DUPLICATE)
        REQUIRE(form.refused != NULL && text_is_valid(form.refused, strlen(form.refused)));
    else
        REQUIRE(status == STATUS_OK || status == STATUS_MALFORMED_REQUEST ||
                status == STATUS_REQUEST_TOO_LARGE);
    write_again(&form, &written);
    form_decode(&again, written.length > 0 ? written.data : "", written.length, arena);
    REQUIRE(again.status == STATUS_OK);
    require_same(&form, &again);
    buffer_free(&written);
    arena_free(&arena);
    return 0;
}
