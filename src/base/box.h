/*
 * A box of the earth, between two meridians and two parallels.
 */
#ifndef MAPDIARY_BASE_BOX_H
#define MAPDIARY_BASE_BOX_H

#include <stdbool.h>
#include <stddef.h>

/* Degrees. A box whose west is greater than its east crosses the antimeridian. */
struct box {
    double west, south, east, north;
};

extern const struct box box_world;

/** Reads "west south east north", decimals with spaces between. */
bool box_read(const char *text, struct box *box);

/* A place, in degrees. */
struct spot {
    double lat, lng;
};

/* The least and the most degrees between the sides of box_of_most(), in both directions. */
#define BOX_SIDE_LEAST 0.1
#define BOX_SIDE_MOST 10.0

/**
 * A box that holds the most of these places, and no side of it is longer than BOX_SIDE_MOST. The
 * places are ordered by latitude. Without a place the box is the world. The time grows with the
 * square of the count: 1 ms for 500 places.
 */
struct box box_of_most(const struct spot *spots, size_t count);

#endif
