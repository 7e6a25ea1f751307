#include "http/param.h"

#include <string.h>

#include "base/date.h"
#include "base/text.h"

static bool in_range(const struct param_spec *spec, int64_t value)
{
    return value >= spec->least && value <= spec->most;
}

static bool bind_text(const struct param_spec *spec, const char *text, void *field)
{
    *(const char **)field = text;
    return in_range(spec, (int64_t)text_characters(text));
}

static bool bind_line(const struct param_spec *spec, const char *text, void *field)
{
    *(const char **)field = text;
    return text_is_line(text, spec->least, spec->most);
}

static bool bind_integer(const struct param_spec *spec, const char *text, void *field)
{
    return text_to_integer(text, field) && in_range(spec, *(int64_t *)field);
}

static bool bind_coordinate(const struct param_spec *spec, const char *text, void *field)
{
    *(const char **)field = text;
    return text_is_coordinate(text, spec->least, spec->most);
}

static bool bind_choice(const struct param_spec *spec, const char *text, void *field)
{
    *(const char **)field = text;
    for (const char *const *choice = spec->choices; *choice != NULL; choice++)
        if (strcmp(text, *choice) == 0)
            return true;
    return false;
}

typedef bool bind_function(const struct param_spec *spec, const char *text, void *field);

static bind_function *const binders[] = {
    [PARAM_LINE] = bind_line,       [PARAM_TEXT] = bind_text,
    [PARAM_INTEGER] = bind_integer, [PARAM_COORDINATE] = bind_coordinate,
    [PARAM_CHOICE] = bind_choice,
};

static enum status bind_one(const struct param_spec *spec, const struct form *form, void *base,
                            const char **refused)
{
    const char *text = form_find(form, spec->name);
    if (text == NULL)
        text = spec->fallback;
    *refused = spec->name;
    if (text == NULL)
        return spec->optional ? STATUS_OK : STATUS_PARAMETER_MISSING;
    return binders[spec->kind](spec, text, (char *)base + spec->offset) ? STATUS_OK
                                                                        : STATUS_PARAMETER_INVALID;
}

struct date_parts {
    int64_t year, month, day;
};

const struct param_spec param_date_parts[] = {
    {.name = "year", .kind = PARAM_INTEGER, offsetof(struct date_parts, year), 1, 9999},
    {.name = "month", .kind = PARAM_INTEGER, offsetof(struct date_parts, month), 1, 12},
    {.name = "day", .kind = PARAM_INTEGER, offsetof(struct date_parts, day), 1, 31},
    PARAMS_END,
};

/* Each part on its own first, so that the name of the one at fault is told; then whether the
 * calendar has the day. */
static enum status bind_date(const struct param_spec *spec, const struct form *form, void *base,
                             const char **refused)
{
    struct date_parts parts = {0};
    enum status status = param_bind(param_date_parts, form, &parts, refused);
    if (status != STATUS_OK)
        return status;
    struct date date = {(int)parts.year, (int)parts.month, (int)parts.day};
    memcpy((char *)base + spec->offset, &date, sizeof date);
    return date_exists(date) ? STATUS_OK : STATUS_PARAMETER_INVALID;
}

enum status param_bind(const struct param_spec *specs, const struct form *form, void *input,
                       const char **refused)
{
    enum status status = STATUS_OK;
    for (const struct param_spec *spec = specs;
         spec != NULL && spec->name != NULL && status == STATUS_OK; spec++)
        status = spec->kind == PARAM_DATE ? bind_date(spec, form, input, refused)
                                          : bind_one(spec, form, input, refused);
    return status;
}
