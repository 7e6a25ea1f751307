#include "store/advertisement.h"

#include "store/registry.h"
#include "store/run.h"

enum { FIND, CHECK, INSERT, LIST, SHOW, COUNTS, END };

#define SUM_OF(column)                                                      \
    "(SELECT coalesce(sum(" column "), 0)::bigint FROM advertisement_day d" \
    " WHERE d.advertisement_id = a.advertisement_id)"
#define RUNS "(runs_today(a))"

/* clang-format off */
const struct db_statement advertisement_statements[] = {
    [FIND] = {"advertisement_find",
              "SELECT id, title, text, image, address, lat, lng"
              " FROM advertisement_at($1::float8, $2::float8, $3::float8)",
              "ltttttt", false, DB_SERVICE},
    [CHECK] = {"advertisement_check",
               "SELECT runs FROM advertisement_runs($1) AS runs WHERE runs", "b", false,
               DB_SERVICE},
    [INSERT] = {"advertisement_insert",
                "INSERT INTO advertisement (title, text, image, address, lat, lng, radius, weight,"
                " first_day, last_day) VALUES ($1, $2, $3, $4, $5, $6, $7, $8,"
                " coalesce($9::date, current_date), $10) RETURNING advertisement_id",
                "l", true, DB_ADMIN},
    [LIST] = {"advertisement_list",
              "SELECT advertisement_id, title, lat::text, lng::text, radius, weight, first_day,"
              " last_day, " RUNS ", " SUM_OF("shown") ", " SUM_OF("clicked")
              " FROM advertisement a WHERE ($1::integer = 0 OR " RUNS ")"
              " AND advertisement_id > $2::bigint ORDER BY advertisement_id LIMIT $3::bigint",
              "lttt" "iiddbll", false, DB_ADMIN},
    [SHOW] = {"advertisement_show",
              "SELECT advertisement_id, title, text, image, address, lat::text, lng::text, radius,"
              " weight, first_day, last_day, created_at, ended_at, " RUNS ", "
              SUM_OF("shown") ", " SUM_OF("clicked")
              " FROM advertisement a WHERE advertisement_id = $1",
              "lttttttiiddzzbll", false, DB_ADMIN},
    [COUNTS] = {"advertisement_counts",
                "SELECT day, advertisement_id, shown, clicked FROM advertisement_day"
                " WHERE ($1::bigint IS NULL OR advertisement_id = $1)"
                " ORDER BY day, advertisement_id",
                "dlll", false, DB_ADMIN},
    [END] = {"advertisement_end",
             "UPDATE advertisement SET ended_at = coalesce(ended_at, now())"
             " WHERE advertisement_id = $1 RETURNING true",
             "b", true, DB_ADMIN},
    DB_STATEMENTS_END,
};
/* clang-format on */

const struct db_statement advertisement_counting[] = {
    {"advertisement_count", "SELECT count_advertisement($1, $2, $3) IS NULL", "b", true,
     DB_SERVICE},
    DB_STATEMENTS_END,
};

enum status advertisement_find(struct db_batch *batch, const struct place *place, const char *turn,
                               struct advertisement *advertisement)
{
    const struct db_rows *rows = DB_ADD(batch, &advertisement_statements[FIND], db_text(place->lat),
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
    return store_run(batch,
                     DB_ADD(batch, &advertisement_statements[CHECK], db_integer(advertisement_id)),
                     STATUS_ADVERTISEMENT_NOT_FOUND);
}

void advertisement_count_add(struct db_batch *batch, int64_t advertisement_id, int64_t shown,
                             int64_t clicked)
{
    DB_ADD(batch, &advertisement_counting[0], db_integer(advertisement_id), db_integer(shown),
           db_integer(clicked));
}

enum status advertisement_insert(struct db_batch *batch, const struct advertisement_fields *fields,
                                 int64_t *advertisement_id)
{
    const struct advertisement *shown = &fields->shown;
    const struct db_rows *rows =
        DB_ADD(batch, &advertisement_statements[INSERT], db_text(shown->title),
               db_text(shown->text), db_text(shown->image), db_text(shown->address),
               db_text(shown->place.lat), db_text(shown->place.lng), db_integer(fields->radius),
               db_integer(fields->weight), db_text(fields->first_day), db_text(fields->last_day));
    return store_run_integer(batch, rows, STATUS_INTERNAL, advertisement_id);
}

enum status advertisement_list(struct db_batch *batch, bool running, const struct list_part *part,
                               db_row_function *function, void *context)
{
    DB_STREAM(batch, &advertisement_statements[LIST], function, context, db_integer(running),
              db_integer(part->after), db_id(part->most));
    return db_batch_run(batch);
}

enum status advertisement_show(struct db_batch *batch, int64_t advertisement_id,
                               db_row_function *function, void *context)
{
    const struct db_rows *rows =
        DB_ADD(batch, &advertisement_statements[SHOW], db_integer(advertisement_id));
    return store_run_row(batch, rows, STATUS_ADVERTISEMENT_NOT_FOUND, function, context);
}

enum status advertisement_counts(struct db_batch *batch, int64_t advertisement_id,
                                 db_row_function *function, void *context)
{
    DB_STREAM(batch, &advertisement_statements[COUNTS], function, context, db_id(advertisement_id));
    return db_batch_run(batch);
}

enum status advertisement_end(struct db_batch *batch, int64_t advertisement_id)
{
    return store_run(batch,
                     DB_ADD(batch, &advertisement_statements[END], db_integer(advertisement_id)),
                     STATUS_ADVERTISEMENT_NOT_FOUND);
}
