/*
 * A part of a list of things that are in the order of their identifiers.
 */
#ifndef MAPDIARY_MODEL_LIST_PART_H
#define MAPDIARY_MODEL_LIST_PART_H

#include <stdint.h>

struct list_part {
    int64_t after; /* begins behind this identifier; 0: with the first */
    int64_t most;  /* has so many at most; 0: all */
};

#endif
