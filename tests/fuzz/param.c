/* Parameter binding: of any form, what lands in the input of an operation is what its specs allow.
 */
#include "http/param.h"

#include <math.h>
#include <string.h>

#include "api/operations.h"
#include "base/date.h"
#include "fuzz.h"

static const char *text_in(const struct param_spec *spec, const void *input)
{
    return *(const char *const *)(const void *)((const char *)input + spec->offset);
}

static void require_length(const struct param_spec *spec, const void *input)
{
    const char *text = text_in(spec, input);
    int64_t characters = (int64_t)text_characters(text);
    REQUIRE(text_is_valid(text, strlen(text)));
    REQUIRE(characters >= spec->type.least && characters <= spec->type.most);
    REQUIRE(spec->type.kind != VALUE_LINE || strpbrk(text, "\r\n") == NULL);
}

/* Held against what the C library reads; no value that is allowed is read as infinite. */
static void require_coordinate(const struct param_spec *spec, const void *input)
{
    const char *text = text_in(spec, input);
    char *end = NULL;
    double degrees = strtod(text, &end);
    REQUIRE(*end == '\0' && isfinite(degrees));
    REQUIRE(degrees >= (double)spec->type.least && degrees <= (double)spec->type.most);
    REQUIRE(strspn(text, "-.0123456789") == strlen(text));
}

static void require_choice(const struct param_spec *spec, const void *input)
{
    const char *text = text_in(spec, input);
    const char *const *choice = spec->type.words;
    while (*choice != NULL && strcmp(*choice, text) != 0)
        choice++;
    REQUIRE(*choice != NULL);
}

static void require_date(const struct param_spec *spec, const void *input)
{
    struct date date;
    memcpy(&date, (const char *)input + spec->offset, sizeof date);
    REQUIRE(date_exists(date));
}

static void require_email(const struct param_spec *spec, const void *input)
{
    const char *text = text_in(spec, input);
    REQUIRE(strlen(text) <= 254 && strchr(text, '@') != NULL);
    for (; *text != '\0'; text++)
        REQUIRE(*text > ' ' && *text < 0x7f);
}

static void require_integer(const struct param_spec *spec, const void *input)
{
    int64_t number = *(const int64_t *)(const void *)((const char *)input + spec->offset);
    REQUIRE(number >= spec->type.least && number <= spec->type.most);
}

typedef void requirement(const struct param_spec *spec, const void *input);

static requirement *const requirements[VALUE_FORM + 1] = {
    [VALUE_LINE] = require_length,     [VALUE_TEXT] = require_length,
    [VALUE_INTEGER] = require_integer, [VALUE_COORDINATE] = require_coordinate,
    [VALUE_CHOICE] = require_choice,   [VALUE_DATE] = require_date,
    [VALUE_EMAIL] = require_email,
};

static void require_allowed(const struct param_spec *spec, const struct form *form,
                            const void *input)
{
    for (const struct param_spec *one = spec->one_of; one != NULL && one->name != NULL; one++)
        if (form_find(form, one->name) != NULL)
            require_allowed(one, form, input);
    bool is_bound_here = spec->one_of == NULL && spec->type.kind != VALUE_FILE;
    if (!is_bound_here)
        return;
    if (spec->optional && form_find(form, spec->name) == NULL)
        return;
    if (spec->is_lenient && text_in(spec, input) == NULL)
        return;
    REQUIRE(requirements[spec->type.kind] != NULL);
    requirements[spec->type.kind](spec, input);
}

/* Into memory of its exact size, so that writing beyond the end is seen. */
static void bind(const struct operation *operation, const struct form *form)
{
    const char *refused = NULL;
    void *input = calloc(1, operation->input_size > 0 ? operation->input_size : 1);
    REQUIRE(input != NULL);
    enum status status = param_bind(operation->params, form, input, &refused);
    if (status == STATUS_OK)
        for (const struct param_spec *spec = operation->params; spec != NULL && spec->name != NULL;
             spec++)
            require_allowed(spec, form, input);
    else
        REQUIRE(refused != NULL);
    free(input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *arena = arena_new();
    struct form form = {0};
    /* What was taken before an error is a form, too. */
    form_decode(&form, (const char *)data, size, arena);
    for (const struct operation *row = operations; row->func != NULL; row++)
        bind(row, &form);
    arena_free(&arena);
    return 0;
}
