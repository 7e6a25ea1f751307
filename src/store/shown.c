#include "store/shown.h"

/* The three parameters. */
#define SHOWN_VALUES(id, reader)                                                          \
    {                                                                                     \
        db_integer(id), db_id((reader) != NULL ? (reader)->user_id : 0),                  \
            (reader) != NULL ? db_bytes((reader)->token_hash, sizeof(reader)->token_hash) \
                             : db_text(NULL)                                              \
    }

const struct db_rows *shown_add(struct db_batch *batch, const struct db_statement *statement,
                                int64_t id, const struct session_claim *reader)
{
    const struct db_value values[] = SHOWN_VALUES(id, reader);
    return db_batch_add(batch, statement, values, sizeof values / sizeof *values);
}

void shown_stream(struct db_batch *batch, const struct db_statement *statement, int64_t id,
                  const struct session_claim *reader, db_row_function *function, void *context)
{
    const struct db_value values[] = SHOWN_VALUES(id, reader);
    db_batch_stream(batch, statement, values, sizeof values / sizeof *values, function, context);
}
