/*
 * Who may see a piece: what the database says (may_see_album() and so on). Blogs of the future and
 * private albums are their owner's alone.
 */
#ifndef MAPDIARY_STORE_SHOWN_H
#define MAPDIARY_STORE_SHOWN_H

#include "db/batch.h"
#include "store/session.h"

/* What a statement asks of a piece, for a user that it names. */
#define MAY_SEE_ALBUM(alias, viewer) \
    "may_see_album(" alias ".owner_id, " alias ".visibility, " viewer ")"
#define MAY_SEE_POI(alias, viewer) "may_see_poi(" alias ".owner_id, " viewer ")"
#define MAY_SEE_BLOG(alias, viewer) \
    "may_see_blog(" alias ".author_id, " alias ".post_date, " viewer ")"

/*
 * Of the piece $1 nothing is fetched that is not for the reader, who has the session $3 of the user
 * $2: how long an answer takes would tell that there is one. The session is asked for only where it
 * matters.
 */
#define READER                                              \
    "(SELECT s.user_id FROM session s WHERE s.user_id = $2" \
    " AND s.token_hash = $3 AND s.expires_at > now())"
#define ALBUM_IS_SHOWN MAY_SEE_ALBUM("a", READER)
#define BLOG_IS_SHOWN MAY_SEE_BLOG("b", READER)
#define SHOWN_ALBUM "a.album_id = $1 AND " ALBUM_IS_SHOWN
#define SHOWN_OF_ALBUM " = $1 AND EXISTS (SELECT FROM album a WHERE " SHOWN_ALBUM ")"
/* The same of any kind, as a source of rows, and that the piece is one of them. */
#define SHOWN(kind, alias) "(SELECT " READER " AS id) reader, visible_" kind "(reader.id) " alias
#define IS_SHOWN(kind, key) "EXISTS (SELECT FROM " SHOWN(kind, "t") " WHERE t." key " = $1)"

/* These three parameters; the reader is NULL for nobody. */
#define SHOWN_VALUES(id, reader) db_integer(id), shown_user(reader), shown_token(reader)
struct db_value shown_user(const struct session_claim *reader);
struct db_value shown_token(const struct session_claim *reader);

/** Adds a query with these parameters. */
const struct db_rows *shown_add(struct db_batch *batch, const struct db_statement *statement,
                                int64_t id, const struct session_claim *reader);

/** The same for the last of a batch, whose rows go to the function one by one. */
void shown_stream(struct db_batch *batch, const struct db_statement *statement, int64_t id,
                  const struct session_claim *reader, db_row_function *function, void *context);

#endif
