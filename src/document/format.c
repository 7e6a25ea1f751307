#include "document/format.h"

#include <string.h>

static const struct format *const formats[] = {&format_xml, &format_json, &format_geojson,
                                               &format_atom};

const struct format *format_named(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

const struct format *format_of_refusals(const struct format *format)
{
    return format->refusals != NULL ? format->refusals : format;
}
