/*
 * Points of interest as an administrator edits them. No operation of the interface writes them.
 */
#ifndef MAPDIARY_STORE_POI_EDIT_H
#define MAPDIARY_STORE_POI_EDIT_H

#include "base/status.h"
#include "db/batch.h"

/* Of a change, 0 or NULL leaves what is there. */
struct poi_fields {
    int64_t owner_id;
    const char *name;
    int64_t category;
    const char *lat;
    const char *lng;
};

enum status poi_insert(struct db_batch *batch, const struct poi_fields *fields,
                       int64_t *poi_id) MUST_CHECK;
/** STATUS_POI_NOT_FOUND. */
enum status poi_update(struct db_batch *batch, int64_t poi_id,
                       const struct poi_fields *fields) MUST_CHECK;
/** With its photos and comments. STATUS_POI_NOT_FOUND. */
enum status poi_delete(struct db_batch *batch, int64_t poi_id) MUST_CHECK;

#endif
