/*
 * What a photo, a comment, a score or a recommendation belongs to.
 */
#ifndef MAPDIARY_MODEL_SUBJECT_H
#define MAPDIARY_MODEL_SUBJECT_H

#include "base/status.h"

enum subject { SUBJECT_ALBUM, SUBJECT_POI, SUBJECT_BLOG, SUBJECT_COUNT };

/** "album", "poi", "blog", ended by NULL. */
extern const char *const subject_names[SUBJECT_COUNT + 1];

/** Where there is no such piece: STATUS_ALBUM_NOT_FOUND, and so on. */
enum status subject_absent(enum subject subject);

#endif
