/*
 * Who may see a piece: what the database says. The statements of requests cannot read the tables of
 * pieces; they have visible_album(), visible_poi() and visible_blog(), which take the user who is
 * to see them, or NULL. Private pieces and blogs of the future are their owner's alone.
 */
#ifndef MAPDIARY_STORE_SHOWN_H
#define MAPDIARY_STORE_SHOWN_H

#include "db/batch.h"
#include "store/session.h"

/*
 * Of the piece $1 nothing is fetched that is not for the reader, who has the session $3 of the user
 * $2: how long an answer takes would tell that there is one. The session is asked for only where it
 * matters.
 */
#define READER                                              \
    "(SELECT s.user_id FROM session s WHERE s.user_id = $2" \
    " AND s.token_hash = $3 AND s.expires_at > now())"
/* The pieces of a kind that are for the reader, as a source of rows; and that $1 is one of them. */
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
