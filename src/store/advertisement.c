#include "store/advertisement.h"

#include "store/run.h"
#include "store/statements.h"

enum status advertisement_find(struct db_batch *batch, const struct place *place, const char *turn,
                               struct advertisement *advertisement)
{
    const struct db_rows *rows = DB_ADD(batch, SQL_ADVERTISEMENT_FIND, db_text(place->lat),
                                        db_text(place->lng), db_text(turn));
    enum status status = db_batch_run(batch);
    if (status != STATUS_OK || db_rows_count(rows) == 0)
        return status;
    struct db_row row = db_row(rows, 0);
    advertisement->advertisement_id = db_read_integer(&row);
    advertisement->title = db_read_text(&row);
    advertisement->text = db_read_text(&row);
    advertisement->image = db_read_text(&row);
    advertisement->address = db_read_text(&row);
    advertisement->place.lat = db_read_text(&row);
    advertisement->place.lng = db_read_text(&row);
    return STATUS_OK;
}

enum status advertisement_check(struct db_batch *batch, int64_t advertisement_id)
{
    return store_run(batch, DB_ADD(batch, SQL_ADVERTISEMENT_CHECK, db_integer(advertisement_id)),
                     STATUS_ADVERTISEMENT_NOT_FOUND);
}

void advertisement_count_add(struct db_batch *batch, int64_t advertisement_id, int64_t shown,
                             int64_t clicked)
{
    DB_ADD(batch, SQL_ADVERTISEMENT_COUNT, db_integer(advertisement_id), db_integer(shown),
           db_integer(clicked));
}

enum status advertisement_insert(struct db_batch *batch, const struct advertisement_fields *fields,
                                 int64_t *advertisement_id)
{
    const struct advertisement *shown = &fields->shown;
    const struct db_rows *rows =
        DB_ADD(batch, SQL_ADVERTISEMENT_INSERT, db_text(shown->title), db_text(shown->text),
               db_text(shown->image), db_text(shown->address), db_text(shown->place.lat),
               db_text(shown->place.lng), db_integer(fields->radius), db_integer(fields->weight),
               db_text(fields->first_day), db_text(fields->last_day));
    return store_run_integer(batch, rows, STATUS_INTERNAL, advertisement_id);
}

enum status advertisement_list(struct db_batch *batch, bool running, const struct list_part *part,
                               db_row_function *function, void *context)
{
    DB_STREAM(batch, SQL_ADVERTISEMENT_LIST, function, context, db_integer(running),
              db_integer(part->after), db_id(part->most));
    return db_batch_run(batch);
}

enum status advertisement_show(struct db_batch *batch, int64_t advertisement_id,
                               db_row_function *function, void *context)
{
    const struct db_rows *rows =
        DB_ADD(batch, SQL_ADVERTISEMENT_SHOW, db_integer(advertisement_id));
    return store_run_row(batch, rows, STATUS_ADVERTISEMENT_NOT_FOUND, function, context);
}

enum status advertisement_counts(struct db_batch *batch, int64_t advertisement_id,
                                 db_row_function *function, void *context)
{
    DB_STREAM(batch, SQL_ADVERTISEMENT_COUNTS, function, context, db_id(advertisement_id));
    return db_batch_run(batch);
}

enum status advertisement_end(struct db_batch *batch, int64_t advertisement_id)
{
    return store_run(batch, DB_ADD(batch, SQL_ADVERTISEMENT_END, db_integer(advertisement_id)),
                     STATUS_ADVERTISEMENT_NOT_FOUND);
}
