#include "store/report.h"

#include "store/registry.h"
#include "store/run.h"

enum { INSERT, LIST, SHOW, DECISIONS, THING };

#define THING_NAME "thing_name(r.album_id, r.poi_id, r.blog_id, r.comment_id, r.photo_id)"
/* What the thing says, as far as a line has room for it. */
#define SAYS                                                                                     \
    "(SELECT coalesce(a.title, p.name, b.title, c.comment, f.description, '') FROM (SELECT) one" \
    " LEFT JOIN album a ON a.album_id = r.album_id LEFT JOIN poi p ON p.poi_id = r.poi_id"       \
    " LEFT JOIN blog b ON b.blog_id = r.blog_id LEFT JOIN comment c ON c.comment_id ="           \
    " r.comment_id LEFT JOIN photo f ON f.photo_id = r.photo_id)"

#define LISTED                                                                   \
    "SELECT r.report_id, r.state, " THING_NAME ", r.reporter_id, r.reported_at," \
    " left(r.reason, 200), left(" SAYS ", 100) FROM report r"
#define LISTED_TYPES "lttlztt"

/* clang-format off */
const struct db_statement report_statements[] = {
    [INSERT] = {"report_insert",
                "SELECT noted FROM add_report($1, $2, $3, $4, $5, $6, $7) AS noted"
                " WHERE noted IS NOT NULL",
                "b", true, DB_SERVICE},
    [LIST] = {"report_list",
              LISTED " WHERE ($1::report_state IS NULL OR r.state = $1)"
              " AND r.report_id > $2::bigint ORDER BY r.report_id LIMIT $3::bigint",
              LISTED_TYPES, false, DB_ADMIN},
    [SHOW] = {"report_show",
              "SELECT r.report_id, r.state, " THING_NAME ", r.reporter_id, u.name, r.reported_at,"
              " r.reason, r.decided_at, left(" SAYS ", 2000) FROM report r"
              " LEFT JOIN user_account u ON u.user_id = r.reporter_id WHERE r.report_id = $1",
              "lttltztzt", false, DB_ADMIN},
    [DECISIONS] = {"report_decisions",
                   "SELECT d.decided_at, d.decided_by, d.action, d.report_id, d.reason, d.rule"
                   " FROM report r JOIN decision d ON d.thing = " THING_NAME
                   " WHERE r.report_id = $1 ORDER BY d.decision_id",
                   "zttltt", false, DB_ADMIN},
    [THING] = {"report_thing",
               "SELECT r.state = 'open', " THING_NAME " FROM report r WHERE r.report_id = $1"
               " FOR UPDATE",
               "bt", true, DB_ADMIN},
    DB_STATEMENTS_END,
};
/* clang-format on */

enum { LISTEN, NEWEST, NEXT };

static const struct db_statement watching[] = {
    [LISTEN] = {"report_listen", "LISTEN mapdiary_report", "", false, DB_ADMIN | DB_OPENING},
    [NEWEST] = {"report_newest", "SELECT coalesce(max(report_id), 0) FROM report", "l", false,
                DB_ADMIN},
    [NEXT] = {"report_next", LISTED " WHERE r.report_id > $1 ORDER BY r.report_id", LISTED_TYPES,
              false, DB_ADMIN},
    DB_STATEMENTS_END,
};

const struct db_statement *const report_watching[] = {watching, NULL};

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
    const struct db_rows *rows =
        DB_ADD(batch, &report_statements[INSERT], db_integer(user_id), db_id(ids[SUBJECT_ALBUM]),
               db_id(ids[SUBJECT_POI]), db_id(ids[SUBJECT_BLOG]), db_id(ids[REPORT_COMMENT]),
               db_id(ids[REPORT_PHOTO]), db_text(report->reason));
    return store_run(batch, rows, absent(report));
}

enum status report_list(struct db_batch *batch, const char *state, const struct list_part *part,
                        db_row_function *function, void *context)
{
    DB_STREAM(batch, &report_statements[LIST], function, context, db_text(state),
              db_integer(part->after), db_id(part->most));
    return db_batch_run(batch);
}

enum status report_show(struct db_batch *batch, int64_t report_id, struct report_rows *rows)
{
    rows->report = DB_ADD(batch, &report_statements[SHOW], db_integer(report_id));
    rows->decisions = DB_ADD(batch, &report_statements[DECISIONS], db_integer(report_id));
    return store_run(batch, rows->report, STATUS_NOT_FOUND);
}

enum status report_thing(struct db_batch *batch, int64_t report_id, const char **thing)
{
    const struct db_rows *rows = DB_ADD(batch, &report_statements[THING], db_integer(report_id));
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
    return store_run_integer(batch, db_batch_add(batch, &watching[NEWEST], NULL, 0),
                             STATUS_INTERNAL, report_id);
}

enum status report_watch(struct db_batch *batch, int64_t after, db_row_function *function,
                         void *context)
{
    DB_STREAM(batch, &watching[NEXT], function, context, db_integer(after));
    return db_batch_run(batch);
}
