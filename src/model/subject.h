/*
 * What a photo, a comment, a score or a recommendation belongs to.
 */
#ifndef MAPDIARY_MODEL_SUBJECT_H
#define MAPDIARY_MODEL_SUBJECT_H

#include <stdint.h>

#include "base/status.h"

enum subject { SUBJECT_ALBUM, SUBJECT_POI, SUBJECT_BLOG, SUBJECT_COUNT };

/** "album", "poi", "blog", ended by NULL. */
extern const char *const subject_names[SUBJECT_COUNT + 1];
/** The same as the interface spells them: "album", "POI", "blog", NULL. */
extern const char *const subject_kinds[SUBJECT_COUNT + 1];

/** Where there is no such piece: STATUS_ALBUM_NOT_FOUND, and so on. */
enum status subject_absent(enum subject subject);

/* A piece by its identifier among those of its kind. */
struct piece_name {
    enum subject subject;
    int64_t id;
};

/** The piece whose identifier is the one that is not 0. */
struct piece_name piece_named(const int64_t ids[SUBJECT_COUNT]);

#endif
