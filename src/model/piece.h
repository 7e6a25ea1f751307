/*
 * What albums, points of interest and blogs have in common: a place, an owner, a score.
 */
#ifndef MAPDIARY_MODEL_PIECE_H
#define MAPDIARY_MODEL_PIECE_H

#include <stdint.h>

#include "base/date.h"
#include "base/value.h"

/* In decimal degrees, with the digits that were sent. */
struct place {
    const char *lat;
    const char *lng;
};

/* How far it is from the equator and from the meridian of Greenwich, either way. */
enum { PLACE_LAT_MOST = 90, PLACE_LNG_MOST = 180 };
#define LATITUDE_RANGE RANGE(-PLACE_LAT_MOST, PLACE_LAT_MOST)
#define LONGITUDE_RANGE RANGE(-PLACE_LNG_MOST, PLACE_LNG_MOST)

/* A score goes as far as this, either way. */
enum { SCORE_LEAST = INT32_MIN, SCORE_MOST = INT32_MAX };

/** Whose a piece is to see, ended by NULL: everybody's, or its owner's alone. */
extern const char *const piece_visibilities[];
#define PIECE_PRIVATE "private"

/* Of an album or a point of interest. */
struct piece {
    int64_t category;
    struct place place;
    const char *owner_name;
    const char *owner_icon;
    struct date updated;
    int64_t score;
};

/* What whoever reads a piece of any kind is told. */
struct piece_summary {
    const char *kind;
    int64_t owner_id;
    const char *title;
    int64_t comment_count;
    const char *visibility;    /* to the owner, of what may be private; else NULL */
    const char *recommended;   /* "true", "false"; NULL to nobody */
    int64_t choice;            /* of its vote, by the reader; 0: none */
    const char *closed;        /* "true": its vote is */
    const char *hidden;        /* "true", to the owner: an operator has hidden it, */
    const char *hidden_reason; /* and why */
    struct date public_from;   /* to the owner: others see it from this day on; all zero: now */
    int64_t version;           /* to the owner of an album or a blog; else 0 */
};

#endif
