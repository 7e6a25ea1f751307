/*
 * Points of interest.
 */
#ifndef MAPDIARY_MODEL_POI_H
#define MAPDIARY_MODEL_POI_H

#include "model/photo.h"
#include "model/piece.h"

/* Their categories count from 1. */
#define POI_CATEGORIES 5

/* Of a change, 0 or NULL leaves what is there. */
struct poi_fields {
    int64_t owner_id;
    const char *name;
    int64_t category;
    struct place place; /* each of its two by itself */
};

struct poi {
    const char *name;
    struct piece piece;
    struct photos photos;
};

#endif
