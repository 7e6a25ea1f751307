/*
 * Builds a batch, and says what became of it.
 */
#include "db/batch.h"

#include <stdlib.h>

#include "base/text.h"
#include "db/run.h"

struct db_batch {
    struct arena *arena;
    struct db_item items[DB_BATCH_MOST];
    struct db_run run;
    bool has_run;
    bool goes_on; /* with the next statement, as db_batch_run_open() says */
};

struct db_batch *db_batch_new(struct db *db, struct arena *arena)
{
    struct db_batch *batch = arena_take(arena, sizeof *batch);
    batch->arena = arena;
    batch->run = (struct db_run){.db = db, .items = batch->items};
    return batch;
}

struct db_batch *db_batch_beside(const struct db_batch *batch)
{
    return db_batch_new(batch->run.db, batch->arena);
}

void db_batch_begin_time(const struct db_batch *batch)
{
    db_begin_time(batch->run.db);
}

static void empty(struct db_batch *batch)
{
    db_run_clear(&batch->run);
    batch->run =
        (struct db_run){.db = batch->run.db, .items = batch->items, .is_open = batch->run.is_open};
    batch->has_run = batch->goes_on = false;
}

static void go_on(struct db_batch *batch)
{
    if (batch->goes_on)
        empty(batch);
}

static void set_value(struct db_batch *batch, struct db_item *item, int i,
                      const struct db_value *value)
{
    switch (value->kind) {
    case DB_VALUE_NULL:
        break;
    case DB_VALUE_INTEGER:
        item->values[i] =
            text_from_integer(value->integer, arena_take(batch->arena, TEXT_INTEGER_SIZE));
        break;
    case DB_VALUE_TEXT:
        item->values[i] = value->bytes;
        break;
    case DB_VALUE_BYTES:
        item->values[i] = value->bytes;
        item->lengths[i] = (int)value->length;
        item->formats[i] = 1;
        break;
    }
}

const struct db_rows *db_batch_add(struct db_batch *batch, const struct db_statement *statement,
                                   const struct db_value *values, size_t count)
{
    struct db_run *run = &batch->run;
    go_on(batch);
    if (run->count == DB_BATCH_MOST || batch->has_run || run->function != NULL)
        abort();
    struct db_item *item = &batch->items[run->count++];
    *item = (struct db_item){
        .statement = statement,
        .values = arena_take_array(batch->arena, count, sizeof *item->values),
        .lengths = arena_take_array(batch->arena, count, sizeof *item->lengths),
        .formats = arena_take_array(batch->arena, count, sizeof *item->formats),
        .count = (int)count,
    };
    for (int i = 0; i < item->count; i++)
        set_value(batch, item, i, &values[i]);
    run->writes = run->writes || statement->writes;
    return &item->rows;
}

void db_batch_stream(struct db_batch *batch, const struct db_statement *statement,
                     const struct db_value *values, size_t count, db_row_function *function,
                     void *context)
{
    (void)db_batch_add(batch, statement, values, count);
    batch->run.function = function;
    batch->run.context = context;
}

bool db_batch_has_run(const struct db_batch *batch)
{
    return batch->has_run;
}

enum status db_batch_run(struct db_batch *batch)
{
    enum status status = db_run(&batch->run);
    batch->has_run = true;
    batch->goes_on = status == STATUS_OK && batch->run.stays_open;
    return status;
}

void db_batch_hold(struct db_batch *batch)
{
    go_on(batch);
    batch->run.stays_open = true;
}

enum status db_batch_run_open(struct db_batch *batch)
{
    db_batch_hold(batch);
    return db_batch_run(batch);
}

bool db_batch_is_open(const struct db_batch *batch)
{
    return batch->run.is_open;
}

enum status db_batch_commit(struct db_batch *batch)
{
    go_on(batch);
    batch->run.stays_open = false;
    return db_batch_run(batch);
}

void db_batch_reset(struct db_batch *batch)
{
    db_run_roll_back(&batch->run);
    empty(batch);
}

int db_batch_backend(const struct db_batch *batch)
{
    return batch != NULL ? db_backend(batch->run.db) : 0;
}
