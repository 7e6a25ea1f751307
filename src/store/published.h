/*
 * What may be published of things, and is to be withdrawn before a transaction commits that deletes
 * them or makes them private: it is asked for in that transaction, behind what locks the things.
 */
#ifndef MAPDIARY_STORE_PUBLISHED_H
#define MAPDIARY_STORE_PUBLISHED_H

#include "db/batch.h"
#include "model/subject.h"

enum published_owner { PUBLISHED_ALBUM, PUBLISHED_POI, PUBLISHED_USER };

struct published {
    enum published_owner owner;
    int64_t id;       /* of the owner */
    const char *name; /* in hexadecimal; NULL: all of the owner's. It lives as long as the rows */
};

/** Add the query for what has files of a piece, no blog, if it is there for the asker, 0 for an
 * administrator; of a photo; for the icon of a user; of all that a user has. */
const struct db_rows *published_of_piece_add(struct db_batch *batch, enum subject subject,
                                             int64_t id, int64_t asker);
const struct db_rows *published_photo_add(struct db_batch *batch, int64_t photo_id);
const struct db_rows *published_icon_add(struct db_batch *batch, int64_t user_id);
const struct db_rows *published_of_user_add(struct db_batch *batch, int64_t user_id);

/** One of those that were found, by its index. */
struct published published_read(const struct db_rows *rows, size_t index);

#endif
