/*
 * Writes the operation table in three columns.
 */
#include "api/listing.h"

#include <stdio.h>

/* Widths of the first two columns. */
#define COLUMNS "%-26s%-12s"

static const char *const kinds[] = {[OPERATION_READ] = "read", [OPERATION_WRITE] = "write"};
static const char *const accesses[] = {
    [ACCESS_ANYONE] = "anyone",
    [ACCESS_READER] = "reader",
    [ACCESS_SESSION] = "session",
    [ACCESS_LOGOUT] = "logout",
};

/* What a parameter may be. A date is listed by its parts. */
static const struct {
    const char *what, *range, *unit; /* range NULL: it has none */
} param_kinds[] = {
    [PARAM_LINE] = {"one line", " of ", " characters"},
    [PARAM_TEXT] = {"a text", " of ", " characters"},
    [PARAM_INTEGER] = {"an integer", " from ", ""},
    [PARAM_COORDINATE] = {"decimal degrees", " from ", ""},
    [PARAM_CHOICE] = {"one of ", NULL, NULL},
};

static void add_range(const struct param_spec *spec, struct buffer *out)
{
    long long least = spec->least, most = spec->most;
    const char *unit = param_kinds[spec->kind].unit;
    if (spec->most == INT64_MAX)
        buffer_add_format(out, " of at least %lld%s", least, unit);
    else
        buffer_add_format(out, "%s%lld to %lld%s", param_kinds[spec->kind].range, least, most,
                          unit);
}

static void add_choices(const struct param_spec *spec, struct buffer *out)
{
    for (const char *const *choice = spec->choices; *choice != NULL; choice++)
        buffer_add_format(out, "%s%s", choice == spec->choices ? "" : ", ", *choice);
}

static void add_param(const struct param_spec *spec, struct buffer *out)
{
    char name[64], need[64];
    snprintf(name, sizeof name, "  %s", spec->name);
    if (spec->fallback != NULL)
        snprintf(need, sizeof need, "default %s", spec->fallback);
    else
        snprintf(need, sizeof need, "%s", spec->optional ? "optional" : "required");
    buffer_add_format(out, COLUMNS "%s", name, need, param_kinds[spec->kind].what);
    if (param_kinds[spec->kind].range != NULL)
        add_range(spec, out);
    if (spec->choices != NULL)
        add_choices(spec, out);
    buffer_add_text(out, "\n");
}

static void add_params(const struct param_spec *specs, struct buffer *out)
{
    for (const struct param_spec *spec = specs; spec != NULL && spec->name != NULL; spec++) {
        if (spec->kind == PARAM_DATE)
            add_params(param_date_parts, out);
        else
            add_param(spec, out);
    }
}

/* "updateAlbum delete=true" */
static void add_operation(const struct operation *row, struct buffer *out)
{
    char name[64];
    if (row->variant != NULL)
        snprintf(name, sizeof name, "%s %s=true", row->func, row->variant);
    else
        snprintf(name, sizeof name, "%s", row->func);
    buffer_add_format(out, COLUMNS "%s\n", name, kinds[row->kind], accesses[row->access]);
}

void listing_write(const struct operation *operations, struct buffer *out)
{
    for (const struct operation *row = operations; row->func != NULL; row++) {
        add_operation(row, out);
        add_params(row->params, out);
    }
}
