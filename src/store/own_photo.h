/*
 * Photos as users write and read them: those of their own pieces.
 */
#ifndef MAPDIARY_STORE_OWN_PHOTO_H
#define MAPDIARY_STORE_OWN_PHOTO_H

#include "base/arena.h"
#include "db/batch.h"
#include "model/photo.h"
#include "model/subject.h"
#include "store/session.h"

/** Whether somebody may add a photo of so many bytes to a piece, as far as can be seen without a
 * lock: STATUS_OK, else STATUS_NOT_FOUND, or STATUS_QUOTA_EXCEEDED as photo_upload(). */
enum status photo_may_add(struct db_batch *batch, enum subject subject, int64_t id,
                          const struct session_claim *claim, int64_t bytes,
                          int64_t quota) MUST_CHECK;

/**
 * Looks who may write to a piece that gets a photo, and leaves the transaction open, in which it
 * stays so: STATUS_NOT_OWNER and the like, or STATUS_OK. The asker's photos are counted by one
 * transaction at a time.
 */
enum status photo_claim_piece(struct db_batch *batch, enum subject subject, int64_t id,
                              int64_t asker) MUST_CHECK;

/** Then adds the photo, and leaves the transaction open. With a quota (0: none), which is for all
 * photos of the asker as they were sent, STATUS_QUOTA_EXCEEDED. */
enum status photo_upload(struct db_batch *batch, enum subject subject, int64_t id, int64_t asker,
                         int64_t quota, const struct photo_upload *upload,
                         struct photo_added *added) MUST_CHECK;

/** Both at once, and committed, for whoever owns the piece, whatever the quota.
 * STATUS_ALBUM_NOT_FOUND, STATUS_POI_NOT_FOUND. */
enum status photo_upload_for_owner(struct db_batch *batch, enum subject subject, int64_t id,
                                   const struct photo_upload *upload, int64_t *photo_id) MUST_CHECK;

/* What is known of a photo that its owner changes. */
struct photo_held {
    bool is_of_album;
    const struct db_rows *published; /* store/published.h */
};

/** Looks who may change a photo, and leaves the transaction open, in which it stays so.
 * STATUS_PHOTO_NOT_FOUND, STATUS_NOT_OWNER. */
enum status photo_hold(struct db_batch *batch, int64_t photo_id, int64_t asker,
                       struct photo_held *held) MUST_CHECK;
/** Then changes it, or deletes it, and leaves the transaction open. */
enum status photo_change(struct db_batch *batch, const struct photo_fields *fields) MUST_CHECK;
enum status photo_drop(struct db_batch *batch, int64_t photo_id) MUST_CHECK;

/** What the reader, who may be nobody (NULL), may see. STATUS_PHOTO_NOT_FOUND. */
enum status photo_read(struct db_batch *batch, int64_t photo_id, const struct session_claim *reader,
                       struct photo_shown *photo) MUST_CHECK;

#endif
