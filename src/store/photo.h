/*
 * Photos of albums and points of interest.
 */
#ifndef MAPDIARY_STORE_PHOTO_H
#define MAPDIARY_STORE_PHOTO_H

#include "db/batch.h"
#include "model/list_part.h"
#include "model/photo.h"
#include "model/subject.h"
#include "store/session.h"

/** Add the query for the photos of a piece, no blog, to a batch, for whoever may see it; or for a
 * reader, as album_read(). photos_read() takes its rows once that has run. */
const struct db_rows *photos_show_add(struct db_batch *batch, enum subject subject, int64_t id);
const struct db_rows *photos_of_add(struct db_batch *batch, enum subject subject, int64_t id,
                                    const struct session_claim *reader);
struct photos photos_read(const struct db_rows *rows, struct arena *arena);

/** Adds a photo at the end. STATUS_ALBUM_NOT_FOUND, STATUS_POI_NOT_FOUND. */
enum status photo_insert(struct db_batch *batch, enum subject subject, int64_t id,
                         const char *address, const char *description,
                         int64_t *photo_id) MUST_CHECK;

/** STATUS_NOT_FOUND where the piece has no such photo. A cover that goes leaves none. The rows are
 * those of store/published.h. */
enum status photo_delete(struct db_batch *batch, enum subject subject, int64_t id, int64_t photo_id,
                         const struct db_rows **published) MUST_CHECK;

/** Brings the photos of a piece, all of them, into this order: identifiers in braces, "{3,1,2}".
 * STATUS_NOT_FOUND where these are not exactly its photos. */
enum status photo_order(struct db_batch *batch, enum subject subject, int64_t id,
                        const char *photos) MUST_CHECK;

/** Makes a photo the cover of its album; 0 for none. STATUS_NOT_FOUND where the album has no such
 * photo, or is not there. */
enum status photo_set_cover(struct db_batch *batch, int64_t album_id, int64_t photo_id) MUST_CHECK;

/** Changes the photo with that identifier: NULL leaves what is there. STATUS_NOT_FOUND where the
 * piece has no such photo. */
enum status photo_edit(struct db_batch *batch, enum subject subject, int64_t id,
                       const struct photo *change) MUST_CHECK;

/** All about a photo, as one row for the function. STATUS_NOT_FOUND likewise. */
enum status photo_show(struct db_batch *batch, enum subject subject, int64_t id, int64_t photo_id,
                       db_row_function *function, void *context) MUST_CHECK;
/** Streams the same of the photos of all albums, or all places, of one owner, or with 0 of
 * everybody. */
enum status photo_list(struct db_batch *batch, enum subject subject, int64_t owner,
                       const struct list_part *part, db_row_function *function,
                       void *context) MUST_CHECK;

#endif
