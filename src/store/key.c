#include "store/key.h"

#include "store/statements.h"

enum { REQUIRE };

const struct db_statement key_statements[] = {
    [REQUIRE] = {"key_require", "SELECT require_key($1, $2) IS NULL", "b", false},
    DB_STATEMENTS_END,
};

void key_require_add(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE])
{
    DB_ADD(batch, &key_statements[REQUIRE], db_bytes(id, KEY_ID_SIZE), db_text(NULL));
}

void key_require_timely_add(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE],
                            int64_t time)
{
    DB_ADD(batch, &key_statements[REQUIRE], db_bytes(id, KEY_ID_SIZE), db_integer(time));
}
