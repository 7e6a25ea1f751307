/*
 * Writes the operation table in three columns.
 */
#include "api/listing.h"

#include <stdio.h>

/* Widths of the first two columns. */
#define COLUMNS "%-26s%-14s"

static const char *const kinds[] = {[OPERATION_READ] = "read", [OPERATION_WRITE] = "write"};
static const char *const accesses[] = {
    [ACCESS_ANYONE] = "anyone", [ACCESS_READER] = "reader", [ACCESS_SESSION] = "session",
    [ACCESS_KNOWN] = "known",   [ACCESS_LOGOUT] = "logout", [ACCESS_LEAVING] = "leaving",
};

static void add_param(const struct param_spec *spec, struct buffer *out)
{
    char name[64], need[64];
    if (spec->is_elsewhere)
        return;
    snprintf(name, sizeof name, "  %s", spec->name);
    if (spec->fallback != NULL)
        snprintf(need, sizeof need, "default %s", spec->fallback);
    else
        snprintf(need, sizeof need, "%s", spec->optional ? "optional" : "required");
    buffer_add_format(out, COLUMNS, name, need);
    value_describe(&spec->type, out);
    buffer_add_text(out, "\n");
}

/* A date is listed by its parts, and those of which one is to be there each by itself. */
static void add_params(const struct param_spec *specs, struct buffer *out)
{
    for (const struct param_spec *spec = specs; spec != NULL && spec->name != NULL; spec++) {
        if (param_parts(spec) != NULL)
            add_params(param_parts(spec), out);
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
