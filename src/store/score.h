/*
 * Scores of pieces.
 */
#ifndef MAPDIARY_STORE_SCORE_H
#define MAPDIARY_STORE_SCORE_H

#include "db/batch.h"
#include "model/subject.h"

/** STATUS_ALBUM_NOT_FOUND and so on, here and below. */
enum status score_set(struct db_batch *batch, enum subject subject, int64_t id,
                      int64_t score) MUST_CHECK;
/** Adds one to the score, the first time that this user recommends this piece; answers the score.
 */
enum status score_recommend(struct db_batch *batch, enum subject subject, int64_t id,
                            int64_t user_id, int64_t *score) MUST_CHECK;

#endif
