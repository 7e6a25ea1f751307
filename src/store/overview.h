/*
 * Pieces as an administrator sees them: with every identifier that the other commands take. The
 * columns are named.
 */
#ifndef MAPDIARY_STORE_OVERVIEW_H
#define MAPDIARY_STORE_OVERVIEW_H

#include "db/batch.h"
#include "store/subject.h"

/* Rows that live until db_batch_reset(). */
struct overview {
    const struct db_rows *piece;  /* one */
    const struct db_rows *photos; /* NULL of a blog */
    const struct db_rows *vote;   /* none or one; NULL of what is no blog, as the next */
    const struct db_rows *choices;
    const struct db_rows *comments;
};

/** STATUS_ALBUM_NOT_FOUND and so on. Blogs of the future too. */
enum status overview_read(struct db_batch *batch, enum subject subject, int64_t id,
                          struct overview *overview) MUST_CHECK;

/** Streams blogs by identifier, at most so many; those of one user, unless that is 0. */
enum status overview_blogs(struct db_batch *batch, int64_t user_id, int64_t most,
                           db_row_function *function, void *context) MUST_CHECK;

#endif
