#include "store/rate.h"

#include "store/registry.h"
#include "store/run.h"

enum { COUNT_WRITE };

const struct db_statement rate_statements[] = {
    [COUNT_WRITE] = {"rate_count_write", "SELECT count_write($1, $2, $3::integer)", "l", true,
                     DB_SERVICE},
    DB_STATEMENTS_END,
};

enum status rate_count_write(struct db_batch *batch, const struct session_claim *claim,
                             int64_t most, int64_t *wait)
{
    const struct db_rows *rows =
        DB_ADD(batch, &rate_statements[COUNT_WRITE], db_integer(claim->user_id),
               db_bytes(claim->token_hash, sizeof claim->token_hash), db_integer(most));
    return store_run_integer(batch, rows, STATUS_INTERNAL, wait);
}
