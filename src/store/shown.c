#include "store/shown.h"

#include "store/statements.h"

struct db_value shown_user(const struct session_claim *reader)
{
    return db_id(reader != NULL ? reader->user_id : 0);
}

struct db_value shown_token(const struct session_claim *reader)
{
    return reader != NULL ? db_bytes(reader->token_hash, sizeof reader->token_hash) : db_text(NULL);
}

const struct db_rows *shown_add(struct db_batch *batch, const struct db_statement *statement,
                                int64_t id, const struct session_claim *reader)
{
    return DB_ADD(batch, statement, SHOWN_VALUES(id, reader));
}

void shown_stream(struct db_batch *batch, const struct db_statement *statement, int64_t id,
                  const struct session_claim *reader, db_row_function *function, void *context)
{
    DB_STREAM(batch, statement, function, context, SHOWN_VALUES(id, reader));
}
