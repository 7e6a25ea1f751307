/*
 * Which tags of a GeoJSON feature make which category, and which tag is its name: a small file of
 * lines "amenity=cafe 2", "tourism=* 5" and "name name:zh"; # begins a comment.
 */
#ifndef MAPDIARY_ROWS_MAPPING_H
#define MAPDIARY_ROWS_MAPPING_H

#include "rows/rows.h"

struct mapping;

/** Reads the file into the arena; every line that is wrong is logged. */
enum status mapping_read(const char *path, struct arena *arena,
                         struct mapping **mapping) MUST_CHECK;

/** The field that has the category by the first line of the file that fits, with *category; NULL
 * where none does. */
const struct field *mapping_category(const struct mapping *mapping, const struct row *row,
                                     const char **category);
/** The field that has the name: the first tag of the file that the feature has; "name" where the
 * file names none. */
const struct field *mapping_name(const struct mapping *mapping, const struct row *row);

#endif
