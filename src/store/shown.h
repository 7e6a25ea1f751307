/*
 * Who may see a blog: those of the future are their author's alone.
 */
#ifndef MAPDIARY_STORE_SHOWN_H
#define MAPDIARY_STORE_SHOWN_H

#include "db/batch.h"
#include "store/session.h"

/*
 * Of the blog $1 nothing is fetched that is not for the reader, who has the session $3 of the user
 * $2: how long an answer takes would tell that there is one. The date is looked at first, so that
 * a session is asked for where it matters alone.
 */
#define SHOWN_BLOG                                                            \
    "b.blog_id = $1 AND CASE WHEN b.post_date <= current_date THEN true ELSE" \
    " b.author_id = (SELECT s.user_id FROM session s WHERE s.user_id = $2"    \
    " AND s.token_hash = $3 AND s.expires_at > now()) END"
#define SHOWN_OF_BLOG " = $1 AND EXISTS (SELECT FROM blog b WHERE " SHOWN_BLOG ")"

/** Adds a query with these three parameters; the reader is NULL for nobody. */
const struct db_rows *shown_add(struct db_batch *batch, const struct db_statement *statement,
                                int64_t blog_id, const struct session_claim *reader);

#endif
