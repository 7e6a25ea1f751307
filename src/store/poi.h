/*
 * Points of interest.
 */
#ifndef MAPDIARY_STORE_POI_H
#define MAPDIARY_STORE_POI_H

#include "store/comment.h"
#include "store/entry.h"
#include "store/piece.h"

struct poi {
    const char *name;
    struct piece piece;
    struct photos photos;
    struct comments comments;
};

/** STATUS_POI_NOT_FOUND. Lists are in the arena. */
enum status poi_read(struct db_batch *batch, struct arena *arena, int64_t poi_id,
                     struct poi *poi) MUST_CHECK;
/** Gives a struct entry for each of a category, by identifier. */
enum status poi_list(struct db_batch *batch, int64_t category, struct entry_sink *sink) MUST_CHECK;

#endif
