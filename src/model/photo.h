/*
 * Photos of albums and points of interest.
 */
#ifndef MAPDIARY_MODEL_PHOTO_H
#define MAPDIARY_MODEL_PHOTO_H

#include <stddef.h>
#include <stdint.h>

#include "base/crypto.h"
#include "model/piece.h"

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

/* As random bytes, of its address. */
enum { PHOTO_NAME_SIZE = 16 };

/* A photo that was uploaded, as its row has it. */
struct photo_upload {
    const char *description;
    int64_t position; /* 1 is first; 0: last */
    unsigned char name[PHOTO_NAME_SIZE];
    unsigned char original[CRYPTO_DIGEST_SIZE]; /* of its files */
    unsigned char large[CRYPTO_DIGEST_SIZE];
    unsigned char small[CRYPTO_DIGEST_SIZE];
    int64_t original_bytes;
    int64_t made_bytes;    /* of the other two files */
    int64_t format;        /* enum picture_format */
    int64_t width, height; /* of the large one */
    const char *taken;     /* a moment, or one of the service's time zone; NULL: unknown */
};

/* What became of it. */
struct photo_added {
    int64_t photo_id;
    const char *thumbnail; /* addresses */
    const char *photo_path;
    int64_t width, height;
    int64_t taken; /* seconds since the epoch; TIME_NONE: unknown */
    struct place place;
};

/* What a client writes. */
struct photo_fields {
    int64_t photo_id;
    const char *description; /* NULL: unchanged */
    int64_t position;        /* 0: unchanged */
    const char *cover;       /* "true": it is to be the cover of its album */
};

/* What a client reads of one photo. Of an album or a place, the other one is 0. */
struct photo_shown {
    int64_t photo_id, album_id, poi_id;
    const char *thumbnail;
    const char *photo_path;
    int64_t width, height; /* 0: unknown */
    const char *description;
    int64_t owner_id;
    const char *owner_name;
    const char *owner_icon;
    int64_t taken; /* told to the owner alone; TIME_NONE: unknown */
};

#endif
