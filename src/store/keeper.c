#include "store/keeper.h"

#include "store/run.h"

enum { HOUSE, COUNTS, WORDS };

static const struct db_statement statements[] = {
    [HOUSE] = {"keeper_house", "SELECT greatest(keep_house(), 0)", "l", true, DB_SERVICE},
    [COUNTS] = {"keeper_counts", "SELECT greatest(keep_counts($1::integer), 0)", "l", true,
                DB_SERVICE},
    [WORDS] = {"keeper_words", "SELECT greatest(keep_words($1::integer), 0)", "l", true,
               DB_SERVICE},
    DB_STATEMENTS_END,
};

const struct db_statement *const keeper_registry[] = {statements, NULL};

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
