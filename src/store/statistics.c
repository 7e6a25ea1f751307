#include "store/statistics.h"

#include "store/statements.h"

const struct db_statement *const statistics_slow_registry[] = {statistics_slow_statements, NULL};

enum status statistics_read(struct db_batch *batch, int64_t most, struct statistics *statistics)
{
    statistics->counts = db_batch_add(batch, SQL_STATISTICS_COUNTS, NULL, 0);
    statistics->photos = db_batch_add(batch, SQL_STATISTICS_PHOTOS, NULL, 0);
    statistics->users = DB_ADD(batch, SQL_STATISTICS_USERS, db_integer(most));
    statistics->places = DB_ADD(batch, SQL_STATISTICS_PLACES, db_integer(most));
    statistics->tables = DB_ADD(batch, SQL_STATISTICS_TABLES, db_integer(most));
    statistics->indexes = DB_ADD(batch, SQL_STATISTICS_INDEXES, db_integer(most));
    const struct db_rows *schema = db_batch_add(batch, SQL_STATISTICS_STATEMENTS, NULL, 0);
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    statistics->statements_schema = NULL;
    if (db_rows_count(schema) > 0) {
        struct db_row row = db_row(schema, 0);
        statistics->statements_schema = db_read_text(&row);
    }
    return STATUS_OK;
}

enum status statistics_slow(struct db_batch *batch, int64_t most, db_row_function *function,
                            void *context)
{
    DB_STREAM(batch, SQL_STATISTICS_SLOW, function, context, db_integer(most));
    return db_batch_run(batch);
}
