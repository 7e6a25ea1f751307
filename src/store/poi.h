/*
 * Points of interest.
 */
#ifndef MAPDIARY_STORE_POI_H
#define MAPDIARY_STORE_POI_H

#include "model/list_part.h"
#include "model/poi.h"
#include "store/entry.h"
#include "store/piece.h"

/** Gives a struct comment for each of its comments, by time; when the first comes, all else is
 * read. STATUS_POI_NOT_FOUND, also of what is not for the reader, NULL for nobody. Lists are in the
 * arena. */
enum status poi_read(struct db_batch *batch, struct arena *arena, int64_t poi_id,
                     const struct session_claim *reader, struct poi *poi,
                     struct entry_sink *comments) MUST_CHECK;
/** Gives a struct entry for each of a category, by identifier. */
enum status poi_list(struct db_batch *batch, int64_t category, const struct session_claim *reader,
                     struct entry_page *page) MUST_CHECK;
/** As an administrator sees it. STATUS_POI_NOT_FOUND. */
enum status poi_show(struct db_batch *batch, int64_t poi_id, struct piece_rows *rows) MUST_CHECK;

enum status poi_insert(struct db_batch *batch, const struct poi_fields *fields,
                       int64_t *poi_id) MUST_CHECK;
/** STATUS_POI_NOT_FOUND. */
enum status poi_update(struct db_batch *batch, int64_t poi_id,
                       const struct poi_fields *fields) MUST_CHECK;
/** With its photos and comments; published_read() takes the rows. STATUS_POI_NOT_FOUND. */
enum status poi_delete(struct db_batch *batch, int64_t poi_id,
                       const struct db_rows **published) MUST_CHECK;
/** Streams those of one owner and one category, each of which is all with 0. */
enum status poi_list_all(struct db_batch *batch, int64_t owner, int64_t category,
                         const struct list_part *part, db_row_function *function,
                         void *context) MUST_CHECK;

#endif
