/*
 * A line through places as a feature of GeoJSON (RFC 7946), cut where it crosses the antimeridian
 * (section 3.1.9).
 */
#ifndef MAPDIARY_DOCUMENT_PATH_H
#define MAPDIARY_DOCUMENT_PATH_H

#include <stddef.h>

#include "document/json.h"

/* All zero is a path of no place. */
struct path {
    struct path_place *places;
    size_t count, room;
};

/** Adds a place, in decimal degrees. The texts stay the caller's, and must last. */
void path_add(struct path *path, const char *lng, const char *lat);

/** Writes the line from the last place to the first as a feature without properties; nothing, if
 * there are fewer than two places. */
void path_write(const struct path *path, struct json *json);

void path_free(struct path *path);

#endif
