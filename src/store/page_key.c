#include "store/page_key.h"

#include <stdio.h>

#include "store/registry.h"
#include "store/run.h"

enum { READ };

const struct db_statement page_key_statements[] = {
    [READ] = {"page_key_read", "SELECT page_key FROM service", "t", false, DB_SERVICE},
    DB_STATEMENTS_END,
};

static enum status take_key(void *context, struct db_row *row)
{
    struct page_key *key = context;
    snprintf(key->text, sizeof key->text, "%s", db_read_text(row));
    return STATUS_OK;
}

enum status page_key_read(struct db_batch *batch, struct page_key *key)
{
    const struct db_rows *rows = db_batch_add(batch, &page_key_statements[READ], NULL, 0);
    return store_run_row(batch, rows, STATUS_INTERNAL, take_key, key);
}
