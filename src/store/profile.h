/*
 * Users as they are shown, to others and to themselves.
 */
#ifndef MAPDIARY_STORE_PROFILE_H
#define MAPDIARY_STORE_PROFILE_H

#include "base/status.h"
#include "db/batch.h"
#include "model/account.h"
#include "store/session.h"

/** What the reader, or NULL, sees of a user: counts and score are of what he may see.
 * STATUS_USER_NOT_FOUND. */
enum status profile_read(struct db_batch *batch, int64_t user_id,
                         const struct session_claim *reader, struct account *account) MUST_CHECK;

/** What a user sees of himself, but for the quota. */
enum status profile_read_own(struct db_batch *batch, int64_t user_id,
                             struct own_account *account) MUST_CHECK;

#endif
