#include "store/keeper.h"

#include "store/advertisement.h"
#include "store/registry.h"
#include "store/run.h"

enum { HOUSE, COUNTS, WORDS, REPORTS };
enum { STATE, RECOUNT };

static const struct db_statement statements[] = {
    [HOUSE] = {"keeper_house", "SELECT greatest(keep_house(), 0)", "l", true, DB_SERVICE},
    [COUNTS] = {"keeper_counts", "SELECT greatest(keep_counts($1::integer), 0)", "l", true,
                DB_SERVICE},
    [WORDS] = {"keeper_words", "SELECT greatest(keep_words($1::integer), 0)", "l", true,
               DB_SERVICE},
    [REPORTS] = {"keeper_reports",
                 "SELECT count(*), coalesce(extract(epoch FROM min(reported_at)), 0)::bigint"
                 " FROM report WHERE state = 'open'",
                 "ll", false, DB_SERVICE},
    DB_STATEMENTS_END,
};

const struct db_statement keeper_statements[] = {
    [STATE] = {"keeper_state", "SELECT wrong, lost, waiting FROM finding_state()", "lll", false,
               DB_ADMIN},
    [RECOUNT] = {"keeper_recount", "SELECT recount()", "l", true, DB_ADMIN},
    DB_STATEMENTS_END,
};

const struct db_statement *const keeper_registry[] = {statements, advertisement_counting, NULL};

enum status keeper_house(struct db_batch *batch, int64_t *done)
{
    return store_run_integer(batch, db_batch_add(batch, &statements[HOUSE], NULL, 0),
                             STATUS_INTERNAL, done);
}

enum status keeper_counts(struct db_batch *batch, int64_t most, int64_t *done)
{
    return store_run_integer(batch, DB_ADD(batch, &statements[COUNTS], db_integer(most)),
                             STATUS_INTERNAL, done);
}

enum status keeper_words(struct db_batch *batch, int64_t most, int64_t *done)
{
    return store_run_integer(batch, DB_ADD(batch, &statements[WORDS], db_integer(most)),
                             STATUS_INTERNAL, done);
}

enum status keeper_reports(struct db_batch *batch, int64_t *open, int64_t *oldest)
{
    const struct db_rows *rows = db_batch_add(batch, &statements[REPORTS], NULL, 0);
    enum status status = store_run(batch, rows, STATUS_INTERNAL);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    *open = db_read_integer(&row);
    *oldest = db_read_integer(&row);
    return STATUS_OK;
}

enum status keeper_look(struct db_batch *batch, struct keeper_state *state)
{
    const struct db_rows *rows = db_batch_add(batch, &keeper_statements[STATE], NULL, 0);
    enum status status = store_run(batch, rows, STATUS_INTERNAL);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    state->wrong = db_read_integer(&row);
    state->lost = db_read_integer(&row);
    state->waiting = db_read_integer(&row);
    return STATUS_OK;
}

enum status keeper_recount(struct db_batch *batch, int64_t *pieces)
{
    return store_run_integer(batch, db_batch_add(batch, &keeper_statements[RECOUNT], NULL, 0),
                             STATUS_INTERNAL, pieces);
}
