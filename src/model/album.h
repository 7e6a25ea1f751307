/*
 * Albums.
 */
#ifndef MAPDIARY_MODEL_ALBUM_H
#define MAPDIARY_MODEL_ALBUM_H

#include "model/photo.h"
#include "model/piece.h"

/* Their categories count from 1. */
#define ALBUM_CATEGORIES 16

/* What a client writes. */
struct album_fields {
    int64_t album_id; /* not for a new one */
    const char *title;
    int64_t category;
    struct place place;
    const char *visibility; /* NULL: public where it is new, else unchanged */
    int64_t base_version;   /* that the writer has seen; 0: whichever it has */
};

/* What a client reads. */
struct album {
    const char *title;
    int64_t cover_photo_id; /* 0: none */
    struct piece piece;
    struct photos photos;
};

#endif
