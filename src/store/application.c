#include "store/application.h"

#include "store/registry.h"
#include "store/run.h"

enum { REQUIRE, INSERT, LIST, REVOKE };

const struct db_statement application_statements[] = {
    [REQUIRE] = {"application_require", "SELECT require_key($1, $2) IS NULL", "b", false,
                 DB_SERVICE},
    [INSERT] = {"application_insert", "INSERT INTO application_key (key_id, name) VALUES ($1, $2)",
                "", true, DB_ADMIN},
    [LIST] = {"application_list",
              "SELECT encode(key_id, 'hex'), name, created_at, revoked_at"
              " FROM application_key ORDER BY created_at, key_id",
              "ttzz", false, DB_ADMIN},
    [REVOKE] = {"application_revoke",
                "UPDATE application_key SET revoked_at = coalesce(revoked_at, now())"
                " WHERE key_id = $1 RETURNING true",
                "b", true, DB_ADMIN},
    DB_STATEMENTS_END,
};

void application_require_add(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE])
{
    DB_ADD(batch, &application_statements[REQUIRE], db_bytes(id, KEY_ID_SIZE), db_text(NULL));
}

void application_require_timely_add(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE],
                                    int64_t time)
{
    DB_ADD(batch, &application_statements[REQUIRE], db_bytes(id, KEY_ID_SIZE), db_integer(time));
}

enum status application_insert(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE],
                               const char *name)
{
    DB_ADD(batch, &application_statements[INSERT], db_bytes(id, KEY_ID_SIZE), db_text(name));
    return db_batch_run(batch);
}

enum status application_list(struct db_batch *batch, db_row_function *function, void *context)
{
    db_batch_stream(batch, &application_statements[LIST], NULL, 0, function, context);
    return db_batch_run(batch);
}

enum status application_revoke(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE])
{
    return store_run(batch,
                     DB_ADD(batch, &application_statements[REVOKE], db_bytes(id, KEY_ID_SIZE)),
                     STATUS_NOT_FOUND);
}
