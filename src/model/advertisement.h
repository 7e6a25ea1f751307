/*
 * Advertisements, which an operator ties to places.
 */
#ifndef MAPDIARY_MODEL_ADVERTISEMENT_H
#define MAPDIARY_MODEL_ADVERTISEMENT_H

#include "base/date.h"
#include "model/piece.h"

enum {
    ADVERTISEMENT_TEXT_MOST = 500,        /* characters */
    ADVERTISEMENT_RADIUS_MOST = 20100000, /* metres: the whole earth */
    ADVERTISEMENT_WEIGHT_MOST = 1000,
};

struct advertisement {
    int64_t advertisement_id;
    const char *title;
    const char *text;
    const char *image; /* NULL: none */
    const char *address;
    struct place place;
};

/* As an operator makes one. */
struct advertisement_fields {
    struct advertisement shown;
    int64_t radius;
    int64_t weight;
    const char *first_day; /* 2026-02-03; NULL: today */
    const char *last_day;
};

#endif
