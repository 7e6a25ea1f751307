#include "store/report.h"

#include "store/run.h"
#include "store/statements.h"

const struct db_statement *const report_watching[] = {report_watching_statements, NULL};

/* Of the things by their index. */
static enum status absent(const struct report *report)
{
    if (report->ids[REPORT_COMMENT] != 0)
        return STATUS_COMMENT_NOT_FOUND;
    if (report->ids[REPORT_PHOTO] != 0)
        return STATUS_PHOTO_NOT_FOUND;
    return subject_absent(piece_named(report->ids).subject);
}

enum status report_insert(struct db_batch *batch, int64_t user_id, const struct report *report)
{
    const int64_t *ids = report->ids;
    struct piece_name piece = piece_named(ids);
    const struct db_rows *rows = DB_ADD(
        batch, SQL_REPORT_INSERT, db_integer(user_id), db_integer(piece.subject), db_id(piece.id),
        db_id(ids[REPORT_COMMENT]), db_id(ids[REPORT_PHOTO]), db_text(report->reason));
    return store_run(batch, rows, absent(report));
}

enum status report_list(struct db_batch *batch, const char *state, int64_t reporter_id,
                        const struct list_part *part, db_row_function *function, void *context)
{
    DB_STREAM(batch, SQL_REPORT_LIST, function, context, db_text(state), db_integer(part->after),
              db_id(part->most), db_id(reporter_id));
    return db_batch_run(batch);
}

enum status report_show(struct db_batch *batch, int64_t report_id, struct report_rows *rows)
{
    rows->report = DB_ADD(batch, SQL_REPORT_SHOW, db_integer(report_id));
    rows->decisions = DB_ADD(batch, SQL_REPORT_DECISIONS, db_integer(report_id));
    return store_run(batch, rows->report, STATUS_NOT_FOUND);
}

enum status report_thing(struct db_batch *batch, int64_t report_id, const char **thing)
{
    const struct db_rows *rows = DB_ADD(batch, SQL_REPORT_THING, db_integer(report_id));
    enum status status = store_run(batch, rows, STATUS_NOT_FOUND);
    if (status != STATUS_OK)
        return status;
    struct db_row row = db_row(rows, 0);
    bool is_open = db_read_boolean(&row);
    *thing = db_read_text(&row);
    return is_open ? STATUS_OK : STATUS_CONFLICT;
}

enum status report_newest(struct db_batch *batch, int64_t *report_id)
{
    return store_run_integer(batch, db_batch_add(batch, SQL_REPORT_NEWEST, NULL, 0),
                             STATUS_INTERNAL, report_id);
}

enum status report_watch(struct db_batch *batch, int64_t after, db_row_function *function,
                         void *context)
{
    DB_STREAM(batch, SQL_REPORT_NEXT, function, context, db_integer(after));
    return db_batch_run(batch);
}
