/*
 * The reader of pieces. The statements of requests cannot read the tables of pieces; they have
 * visible_album(), visible_poi() and visible_blog(), which take the user who is to see the pieces,
 * or NULL. Private pieces and blogs of the future are their owner's alone.
 */
#ifndef MAPDIARY_STORE_SHOWN_H
#define MAPDIARY_STORE_SHOWN_H

#include "db/batch.h"
#include "store/session.h"

/*
 * The parameters of a statement with :reader (words.sql): an identifier, and the user and token of
 * the session; NULL for nobody. Such a statement fetches nothing of a piece that is not for the
 * reader, as the time of the answer would tell that there is one.
 */
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
