/*
 * Photos of albums and points of interest.
 */
#ifndef MAPDIARY_MODEL_PHOTO_H
#define MAPDIARY_MODEL_PHOTO_H

#include <stddef.h>
#include <stdint.h>

/* A photo of an album (with its identifier and the address of a thumbnail) or of a POI (with its
 * path). */
struct photo {
    int64_t photo_id;
    const char *address;
    const char *description;
};

struct photos {
    struct photo *list;
    size_t count;
};

#endif
