/*
 * Who may see a piece: blogs of the future and private albums are their owner's alone.
 */
#ifndef MAPDIARY_STORE_SHOWN_H
#define MAPDIARY_STORE_SHOWN_H

#include "db/batch.h"
#include "store/session.h"

/*
 * Of the piece $1 nothing is fetched that is not for the reader, who has the session $3 of the user
 * $2: how long an answer takes would tell that there is one. Whether it is for everybody is looked
 * at first, so that a session is asked for where it matters alone.
 */
#define READER                                              \
    "(SELECT s.user_id FROM session s WHERE s.user_id = $2" \
    " AND s.token_hash = $3 AND s.expires_at > now())"
#define SHOWN_IF(everybody, owner) \
    "CASE WHEN " everybody " THEN true ELSE " owner " = " READER " END"
#define SHOWN_BLOG "b.blog_id = $1 AND " SHOWN_IF("b.post_date <= current_date", "b.author_id")
#define SHOWN_OF_BLOG " = $1 AND EXISTS (SELECT FROM blog b WHERE " SHOWN_BLOG ")"
#define ALBUM_IS_SHOWN SHOWN_IF("a.visibility = 'public'", "a.owner_id")
#define SHOWN_ALBUM "a.album_id = $1 AND " ALBUM_IS_SHOWN
#define SHOWN_OF_ALBUM " = $1 AND EXISTS (SELECT FROM album a WHERE " SHOWN_ALBUM ")"

/** Adds a query with these three parameters; the reader is NULL for nobody. */
const struct db_rows *shown_add(struct db_batch *batch, const struct db_statement *statement,
                                int64_t id, const struct session_claim *reader);

/** The same for the last of a batch, whose rows go to the function one by one. */
void shown_stream(struct db_batch *batch, const struct db_statement *statement, int64_t id,
                  const struct session_claim *reader, db_row_function *function, void *context);

#endif
