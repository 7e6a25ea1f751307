/*
 * Photos of albums and points of interest, as administrators write them, and as users write and
 * read those of their own pieces.
 */
#ifndef MAPDIARY_STORE_PHOTO_H
#define MAPDIARY_STORE_PHOTO_H

#include "base/arena.h"
#include "db/batch.h"
#include "model/list_part.h"
#include "model/photo.h"
#include "model/subject.h"
#include "store/session.h"

/** Add the query for the photos of an album or a point of interest: all of them for an
 * administrator, or those that the reader may see. photos_read() takes the rows of either. */
const struct db_rows *photos_show_add(struct db_batch *batch, enum subject subject, int64_t id);
const struct db_rows *photos_of_add(struct db_batch *batch, enum subject subject, int64_t id,
                                    const struct session_claim *reader);
struct photos photos_read(const struct db_rows *rows, struct arena *arena);

/** Adds a photo at the end. STATUS_ALBUM_NOT_FOUND, STATUS_POI_NOT_FOUND. */
enum status photo_insert(struct db_batch *batch, enum subject subject, int64_t id,
                         const char *address, const char *description,
                         int64_t *photo_id) MUST_CHECK;

/** STATUS_NOT_FOUND where the piece has no such photo. A cover that goes leaves none.
 * published_read() takes the rows. */
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

/* Of users ------------------------------------------------------------------------------------- */

/** Tells without a lock whether the user may add a photo of so many bytes to a piece: STATUS_OK,
 * else STATUS_NOT_FOUND, STATUS_TOO_MUCH_TODAY, or STATUS_QUOTA_EXCEEDED as photo_upload(). */
enum status photo_may_add(struct db_batch *batch, enum subject subject, int64_t id,
                          const struct session_claim *claim, int64_t bytes,
                          int64_t quota) MUST_CHECK;

/**
 * Locks the piece that gets a photo, and leaves the transaction open: the piece stays locked until
 * it ends. STATUS_NOT_OWNER and the like, or STATUS_OK. The lock of the user lets one transaction
 * at a time count the photos of the user.
 */
enum status photo_claim_piece(struct db_batch *batch, enum subject subject, int64_t id,
                              int64_t asker) MUST_CHECK;

/** Then adds the photo, and leaves the transaction open, in which its files can be put. With a
 * quota (0: none), STATUS_QUOTA_EXCEEDED where the photos of the user and the bytes sent for this
 * one take more. */
enum status photo_upload(struct db_batch *batch, enum subject subject, int64_t id, int64_t asker,
                         int64_t quota, const struct photo_upload *upload,
                         struct photo_added *added) MUST_CHECK;

/** Does both for the owner of the piece, whatever the quota, and commits. STATUS_ALBUM_NOT_FOUND,
 * STATUS_POI_NOT_FOUND. */
enum status photo_upload_for_owner(struct db_batch *batch, enum subject subject, int64_t id,
                                   const struct photo_upload *upload, int64_t *photo_id) MUST_CHECK;

/* A photo that its owner changes. */
struct photo_held {
    bool is_of_album;
    const struct db_rows *published; /* published_read() takes them */
};

/** Locks the piece of a photo that its owner is to change, and leaves the transaction open.
 * STATUS_PHOTO_NOT_FOUND, STATUS_NOT_OWNER. */
enum status photo_hold(struct db_batch *batch, int64_t photo_id, int64_t asker,
                       struct photo_held *held) MUST_CHECK;
/** Then changes it, or deletes it, and leaves the transaction open. */
enum status photo_change(struct db_batch *batch, const struct photo_fields *fields) MUST_CHECK;
enum status photo_drop(struct db_batch *batch, int64_t photo_id) MUST_CHECK;

/** A photo for a reader, NULL for nobody. STATUS_PHOTO_NOT_FOUND. */
enum status photo_read(struct db_batch *batch, int64_t photo_id, const struct session_claim *reader,
                       struct photo_shown *photo) MUST_CHECK;

#endif
