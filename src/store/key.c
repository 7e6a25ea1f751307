#include "store/key.h"

#include "store/statements.h"

enum { INSERT, LIST, REVOKE, REQUIRE };

const struct db_statement key_statements[] = {
    [INSERT] = {"key_insert", "INSERT INTO application_key (key_id, name) VALUES ($1, $2)", "",
                true},
    [LIST] = {"key_list",
              "SELECT encode(key_id, 'hex'), name, created_at, revoked_at FROM application_key"
              " ORDER BY created_at, key_id",
              "ttzz", false},
    [REVOKE] = {"key_revoke",
                "UPDATE application_key SET revoked_at = coalesce(revoked_at, now())"
                " WHERE key_id = $1 RETURNING true",
                "b", true},
    [REQUIRE] = {"key_require", "SELECT require_key($1, $2) IS NULL", "b", false},
    DB_STATEMENTS_END,
};

enum status key_insert(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE],
                       const char *name)
{
    DB_ADD(batch, &key_statements[INSERT], db_bytes(id, KEY_ID_SIZE), db_text(name));
    return db_batch_run(batch);
}

enum status key_list(struct db_batch *batch, db_row_function *function, void *context)
{
    db_batch_stream(batch, &key_statements[LIST], NULL, 0, function, context);
    return db_batch_run(batch);
}

enum status key_revoke(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE])
{
    const struct db_rows *rows = DB_ADD(batch, &key_statements[REVOKE], db_bytes(id, KEY_ID_SIZE));
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    return db_rows_count(rows) == 0 ? STATUS_KEY_UNKNOWN : STATUS_OK;
}

void key_require_add(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE])
{
    DB_ADD(batch, &key_statements[REQUIRE], db_bytes(id, KEY_ID_SIZE), db_text(NULL));
}

void key_require_timely_add(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE],
                            int64_t time)
{
    DB_ADD(batch, &key_statements[REQUIRE], db_bytes(id, KEY_ID_SIZE), db_integer(time));
}
