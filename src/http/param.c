#include "http/param.h"

#include <string.h>

#include "base/date.h"

static void store(const struct value_type *type, const struct typed_value *value, void *field)
{
    if (value_is_number(type))
        *(int64_t *)field = value->number;
    else
        *(const char **)field = value->text;
}

static enum status bind_upload(const struct param_spec *spec, const struct upload *upload,
                               const struct upload **field)
{
    if (spec->type.kind != VALUE_FILE)
        return STATUS_PARAMETER_INVALID;
    *field = upload;
    return STATUS_OK;
}

static enum status bind_one(const struct param_spec *spec, const struct form *form, void *base,
                            const char **refused)
{
    struct typed_value value;
    const struct upload *upload = form_upload(form, spec->name);
    const char *text = form_find(form, spec->name);
    if (text == NULL)
        text = spec->fallback;
    *refused = spec->name;
    if (text == NULL)
        return spec->optional ? STATUS_OK : STATUS_PARAMETER_MISSING;
    if (spec->secret && form_is_in_address(form, spec->name))
        return STATUS_PARAMETER_INVALID;
    void *field = (char *)base + spec->offset;
    if (spec->may_be_empty && *text == '\0')
        upload = &param_no_upload;
    if (upload != NULL)
        return bind_upload(spec, upload, field);
    enum status status = value_read(&spec->type, text, &value);
    if (status == STATUS_OK)
        store(&spec->type, &value, field);
    return spec->is_lenient ? STATUS_OK : status;
}

const struct upload param_no_upload = {.descriptor = -1};

typedef enum status bind_function(const struct param_spec *spec, const struct form *form,
                                  void *base, const char **refused);

static enum status bind_each(const struct param_spec *specs, bind_function *bind,
                             const struct form *form, void *base, const char **refused)
{
    enum status status = STATUS_OK;
    for (const struct param_spec *spec = specs;
         spec != NULL && spec->name != NULL && status == STATUS_OK; spec++)
        status = bind(spec, form, base, refused);
    return status;
}

struct date_parts {
    int64_t year, month, day;
};

static const struct param_spec date_parts[] = {
    {"year", {VALUE_INTEGER, RANGE(1, 9999)}, .offset = offsetof(struct date_parts, year)},
    {"month", {VALUE_INTEGER, RANGE(1, 12)}, .offset = offsetof(struct date_parts, month)},
    {"day", {VALUE_INTEGER, RANGE(1, 31)}, .offset = offsetof(struct date_parts, day)},
    PARAMS_END,
};

/* Each part on its own first, so that the name of the one at fault is told; then whether the
 * calendar has the day. */
static enum status bind_date(const struct param_spec *spec, const struct form *form, void *base,
                             const char **refused)
{
    struct date_parts parts = {0};
    enum status status = bind_each(date_parts, bind_one, form, &parts, refused);
    if (status != STATUS_OK)
        return status;
    struct date date = {(int)parts.year, (int)parts.month, (int)parts.day};
    memcpy((char *)base + spec->offset, &date, sizeof date);
    return date_exists(date) ? STATUS_OK : STATUS_PARAMETER_INVALID;
}

/* That it is there is looked at before what it says, and each in its turn. */
static enum status bind_one_of(const struct param_spec *spec, const struct form *form, void *base,
                               const char **refused)
{
    const struct param_spec *given = NULL;
    enum status status = STATUS_OK;
    for (const struct param_spec *one = spec->one_of; one->name != NULL && status == STATUS_OK;
         one++) {
        if (form_find(form, one->name) == NULL)
            continue;
        *refused = one->name;
        bool is_good = given == NULL && !one->is_elsewhere;
        status = is_good ? bind_one(one, form, base, refused) : STATUS_PARAMETER_INVALID;
        given = one;
    }
    if (given != NULL)
        return status;
    *refused = spec->one_of->name;
    return STATUS_PARAMETER_MISSING;
}

const struct param_spec *param_parts(const struct param_spec *spec)
{
    if (spec->type.kind == VALUE_DATE)
        return date_parts;
    return spec->one_of;
}

static enum status bind_any(const struct param_spec *spec, const struct form *form, void *base,
                            const char **refused)
{
    if (spec->one_of != NULL)
        return bind_one_of(spec, form, base, refused);
    return spec->type.kind == VALUE_DATE ? bind_date(spec, form, base, refused)
                                         : bind_one(spec, form, base, refused);
}

bool param_has_secret(const struct param_spec *specs)
{
    while (specs != NULL && specs->name != NULL && !specs->secret)
        specs++;
    return specs != NULL && specs->name != NULL;
}

const struct param_spec *param_file(const struct param_spec *specs, const char *name)
{
    for (const struct param_spec *spec = specs; spec != NULL && spec->name != NULL; spec++)
        if (spec->type.kind == VALUE_FILE && (name == NULL || strcmp(spec->name, name) == 0))
            return spec;
    return NULL;
}

/* A text that nobody knows is ignored; a file is too much to be sent in vain. */
static enum status refuse_unknown_files(const struct param_spec *specs, const struct form *form,
                                        const char **refused)
{
    for (size_t i = 0; i < form->count; i++) {
        *refused = form->parameters[i].name;
        if (form->uploads[i] != NULL && param_file(specs, *refused) == NULL)
            return STATUS_PARAMETER_INVALID;
    }
    return STATUS_OK;
}

enum status param_bind(const struct param_spec *specs, const struct form *form, void *input,
                       const char **refused)
{
    enum status status = bind_each(specs, bind_any, form, input, refused);
    return status == STATUS_OK ? refuse_unknown_files(specs, form, refused) : status;
}
