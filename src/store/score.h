/*
 * Scores of pieces.
 */
#ifndef MAPDIARY_STORE_SCORE_H
#define MAPDIARY_STORE_SCORE_H

#include "db/batch.h"
#include "model/subject.h"

/** Whatever it was: recommendations count from there. STATUS_ALBUM_NOT_FOUND and so on. */
enum status score_set(struct db_batch *batch, enum subject subject, int64_t id,
                      int64_t score) MUST_CHECK;
/** Recommends a piece for a user, which counts once, or takes that back; answers the score then.
 * Also where the user may not see it: STATUS_ALBUM_NOT_FOUND and so on. STATUS_OWN_PIECE. */
enum status score_recommend(struct db_batch *batch, struct piece_name piece, int64_t user_id,
                            int64_t *score) MUST_CHECK;
enum status score_take_back(struct db_batch *batch, struct piece_name piece, int64_t user_id,
                            int64_t *score) MUST_CHECK;

#endif
