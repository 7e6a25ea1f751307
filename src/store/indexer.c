#include "store/indexer.h"

#include "store/advertisement.h"
#include "store/run.h"
#include "store/statements.h"

const struct db_statement *const indexer_registry[] = {
    indexer_tasks, advertisement_counting, photo_file_statements, photo_owner_statements, NULL};

enum status indexer_upkeep(struct db_batch *batch, int64_t *done)
{
    return store_run_integer(batch, db_batch_add(batch, SQL_INDEXER_UPKEEP, NULL, 0),
                             STATUS_INTERNAL, done);
}

enum status indexer_counts(struct db_batch *batch, int64_t most, int64_t *done)
{
    return store_run_integer(batch, DB_ADD(batch, SQL_INDEXER_COUNTS, db_integer(most)),
                             STATUS_INTERNAL, done);
}

enum status indexer_words(struct db_batch *batch, int64_t most, int64_t *done)
{
    db_batch_add(batch, SQL_INDEXER_WORDS_TIME, NULL, 0);
    return store_run_integer(batch, DB_ADD(batch, SQL_INDEXER_WORDS, db_integer(most)),
                             STATUS_INTERNAL, done);
}

enum status indexer_postpone(struct db_batch *batch, const char **thing, int64_t *minutes)
{
    const struct db_rows *rows = db_batch_add(batch, SQL_INDEXER_POSTPONE, NULL, 0);
    enum status status = store_run(batch, rows, STATUS_NOT_FOUND);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    *thing = db_read_text(&row);
    *minutes = db_read_integer(&row);
    return STATUS_OK;
}

enum status indexer_reports(struct db_batch *batch, int64_t *open, int64_t *oldest)
{
    const struct db_rows *rows = db_batch_add(batch, SQL_INDEXER_REPORTS, NULL, 0);
    enum status status = store_run(batch, rows, STATUS_INTERNAL);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    *open = db_read_integer(&row);
    *oldest = db_read_integer(&row);
    return STATUS_OK;
}

enum status indexer_look(struct db_batch *batch, struct indexer_state *state)
{
    const struct db_rows *rows = db_batch_add(batch, SQL_INDEXER_STATE, NULL, 0);
    enum status status = store_run(batch, rows, STATUS_INTERNAL);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    state->wrong = db_read_integer(&row);
    state->lost = db_read_integer(&row);
    state->waiting = db_read_integer(&row);
    return STATUS_OK;
}

enum status indexer_recount(struct db_batch *batch, int64_t *pieces)
{
    return store_run_integer(batch, db_batch_add(batch, SQL_INDEXER_RECOUNT, NULL, 0),
                             STATUS_INTERNAL, pieces);
}
