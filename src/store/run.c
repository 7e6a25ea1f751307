#include "store/run.h"

enum status store_run(struct db_batch *batch, const struct db_rows *rows, enum status absent)
{
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK)
        return status;
    return db_rows_count(rows) == 0 ? absent : STATUS_OK;
}

enum status store_run_integer(struct db_batch *batch, const struct db_rows *rows,
                              enum status absent, int64_t *integer)
{
    enum status status = store_run(batch, rows, absent);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    *integer = db_read_integer(&row);
    return STATUS_OK;
}

enum status store_run_row(struct db_batch *batch, const struct db_rows *rows, enum status absent,
                          db_row_function *function, void *context)
{
    enum status status = store_run(batch, rows, absent);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    return function(context, &row);
}
