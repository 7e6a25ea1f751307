/*
 * Builds a batch, and says what became of it.
 */
#include "db/batch.h"

#include <stdlib.h>

#include "base/text.h"
#include "db/run.h"

struct db_batch *db_batch_new(struct db *db, struct arena *arena)
{
    struct db_batch *batch = arena_take(arena, sizeof *batch);
    batch->db = db;
    batch->arena = arena;
    return batch;
}

struct db_batch *db_batch_beside(const struct db_batch *batch)
{
    return db_batch_new(batch->db, batch->arena);
}

void db_batch_begin_time(const struct db_batch *batch)
{
    db_begin_time(batch->db);
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
    if (batch->count == DB_BATCH_MOST || batch->has_run || batch->function != NULL)
        abort();
    struct db_item *item = &batch->items[batch->count++];
    *item = (struct db_item){
        .statement = statement,
        .values = arena_take_array(batch->arena, count, sizeof *item->values),
        .lengths = arena_take_array(batch->arena, count, sizeof *item->lengths),
        .formats = arena_take_array(batch->arena, count, sizeof *item->formats),
        .count = (int)count,
    };
    for (int i = 0; i < item->count; i++)
        set_value(batch, item, i, &values[i]);
    batch->writes = batch->writes || statement->writes;
    return &item->rows;
}

void db_batch_stream(struct db_batch *batch, const struct db_statement *statement,
                     const struct db_value *values, size_t count, db_row_function *function,
                     void *context)
{
    (void)db_batch_add(batch, statement, values, count);
    batch->function = function;
    batch->context = context;
}

bool db_batch_has_run(const struct db_batch *batch)
{
    return batch->has_run;
}

enum status db_batch_run(struct db_batch *batch)
{
    enum status status = db_run(batch);
    batch->has_run = true;
    return status;
}

void db_batch_hold(struct db_batch *batch)
{
    batch->held = true;
}

bool db_batch_is_open(const struct db_batch *batch)
{
    return batch->open;
}

void db_batch_continue(struct db_batch *batch)
{
    db_run_clear(batch);
    *batch = (struct db_batch){.db = batch->db, .arena = batch->arena, .open = batch->open};
}

void db_batch_reset(struct db_batch *batch)
{
    db_run_roll_back(batch);
    db_batch_continue(batch);
}

int db_batch_backend(const struct db_batch *batch)
{
    return batch != NULL ? db_backend(batch->db) : 0;
}
