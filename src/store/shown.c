#include "store/shown.h"

const struct db_rows *shown_add(struct db_batch *batch, const struct db_statement *statement,
                                int64_t blog_id, const struct session_claim *reader)
{
    return DB_ADD(
        batch, statement, db_integer(blog_id), db_id(reader != NULL ? reader->user_id : 0),
        reader != NULL ? db_bytes(reader->token_hash, sizeof reader->token_hash) : db_text(NULL));
}
