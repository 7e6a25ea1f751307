/*
 * The operation that describes this site to clients: its answer and handler.
 */
#ifndef MAPDIARY_API_SITE_H
#define MAPDIARY_API_SITE_H

#include "api/operation.h"

struct site_shown {
    const char *name, *registration;
    const char *map, *satellite, *attribution;
    int64_t photo_size;
    struct field_list languages;
    const char *contact;
    const char *timezone;
    struct date today;
};

/* Of struct site_shown. */
extern const struct field site_shape[];

struct start_shown {
    const char *west, *south, *east, *north;
};

/* Of struct start_shown. */
extern const struct field start_shape[];

handler_function handle_get_site, handle_get_start;

#endif
