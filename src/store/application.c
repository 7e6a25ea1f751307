#include "store/application.h"

#include "store/run.h"
#include "store/statements.h"

void application_require_add(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE])
{
    DB_ADD(batch, SQL_APPLICATION_REQUIRE, db_bytes(id, KEY_ID_SIZE), db_text(NULL));
}

void application_require_timely_add(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE],
                                    int64_t time)
{
    DB_ADD(batch, SQL_APPLICATION_REQUIRE, db_bytes(id, KEY_ID_SIZE), db_integer(time));
}

enum status application_insert(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE],
                               const char *name)
{
    DB_ADD(batch, SQL_APPLICATION_INSERT, db_bytes(id, KEY_ID_SIZE), db_text(name));
    return db_batch_run(batch);
}

enum status application_list(struct db_batch *batch, db_row_function *function, void *context)
{
    db_batch_stream(batch, SQL_APPLICATION_LIST, NULL, 0, function, context);
    return db_batch_run(batch);
}

enum status application_revoke(struct db_batch *batch, const unsigned char id[KEY_ID_SIZE])
{
    return store_run(batch, DB_ADD(batch, SQL_APPLICATION_REVOKE, db_bytes(id, KEY_ID_SIZE)),
                     STATUS_NOT_FOUND);
}
