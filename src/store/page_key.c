#include "store/page_key.h"

#include <stdio.h>

#include "store/run.h"
#include "store/statements.h"

static enum status take_key(void *context, struct db_row *row)
{
    struct page_key *key = context;
    snprintf(key->text, sizeof key->text, "%s", db_read_text(row));
    return STATUS_OK;
}

enum status page_key_read(struct db_batch *batch, struct page_key *key)
{
    const struct db_rows *rows = db_batch_add(batch, SQL_PAGE_KEY_READ, NULL, 0);
    return store_run_row(batch, rows, STATUS_INTERNAL, take_key, key);
}
