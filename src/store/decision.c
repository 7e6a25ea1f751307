#include "store/decision.h"

#include "store/registry.h"
#include "store/run.h"

enum { MAKE, PUBLISHED, MAIL, LIST };

/* clang-format off */
const struct db_statement decision_statements[] = {
    [MAKE] = {"decision_make",
              "SELECT occasion, user_id, language, piece"
              " FROM decide($1, $2::decision_action, $3, $4, $5, $6)",
              "tltt", true, DB_ADMIN},
    /* As store/published.h has it. */
    [PUBLISHED] = {"decision_published",
                   "SELECT CASE kind WHEN 'album' THEN 0 ELSE 1 END::smallint, id, NULL::text"
                   " FROM (SELECT split_part($1::text, ':', 1) AS kind,"
                   "   split_part($1, ':', 2)::bigint AS id) t"
                   " WHERE EXISTS (SELECT FROM photo p WHERE p.name IS NOT NULL AND"
                   " CASE kind WHEN 'album' THEN p.album_id WHEN 'poi' THEN p.poi_id END = id)"
                   " UNION ALL"
                   " SELECT CASE WHEN album_id IS NULL THEN 1 ELSE 0 END::smallint,"
                   " coalesce(album_id, poi_id), encode(name, 'hex') FROM photo"
                   " WHERE $1 LIKE 'photo:%' AND name IS NOT NULL"
                   " AND photo_id = split_part($1, ':', 2)::bigint",
                   "slt", false, DB_ADMIN},
    [MAIL] = {"decision_mail",
              "SELECT write_mail(user_id, email, $2, $3, interval '30 days', false) IS NULL"
              " FROM (SELECT user_id, email FROM user_account WHERE user_id = $1 FOR KEY SHARE) u",
              "b", true, DB_ADMIN},
    [LIST] = {"decision_list",
              "SELECT decision_id, decided_at, decided_by, action, thing, owner_id, report_id,"
              " reason, rule FROM decision WHERE ($1::text IS NULL OR thing = $1)"
              " AND decision_id > $2::bigint ORDER BY decision_id LIMIT $3::bigint",
              "lztttlltt", false, DB_ADMIN},
    DB_STATEMENTS_END,
};
/* clang-format on */

enum status decision_make(struct db_batch *batch, const struct decision *decision,
                          const struct db_rows **hearers, const struct db_rows **published)
{
    db_batch_hold(batch);
    *hearers = DB_ADD(batch, &decision_statements[MAKE], db_text(decision->thing),
                      db_text(decision->action), db_text(decision->by), db_text(decision->reason),
                      db_text(decision->rule), db_id(decision->report_id));
    *published = DB_ADD(batch, &decision_statements[PUBLISHED], db_text(decision->thing));
    return store_run(batch, *hearers, STATUS_NOT_FOUND);
}

struct decision_hearer decision_hearer_read(const struct db_rows *hearers, size_t index)
{
    struct db_row row = db_row(hearers, index);
    struct decision_hearer hearer = {.occasion = db_read_text(&row)};
    hearer.user_id = db_read_integer(&row);
    hearer.language = db_read_text(&row);
    hearer.piece = db_read_text(&row);
    return hearer;
}

void decision_mail_add(struct db_batch *batch, int64_t user_id, const struct mail_text *mail)
{
    DB_ADD(batch, &decision_statements[MAIL], db_integer(user_id), db_text(mail->subject),
           db_text(mail->body));
}

enum status decision_list(struct db_batch *batch, const char *thing, const struct list_part *part,
                          db_row_function *function, void *context)
{
    DB_STREAM(batch, &decision_statements[LIST], function, context, db_text(thing),
              db_integer(part->after), db_id(part->most));
    return db_batch_run(batch);
}
