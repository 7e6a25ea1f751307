#include "store/decision.h"

#include "store/run.h"
#include "store/statements.h"

enum status decision_make(struct db_batch *batch, const struct decision *decision,
                          const struct db_rows **hearers, const struct db_rows **published)
{
    db_batch_hold(batch);
    *hearers = DB_ADD(batch, SQL_DECISION_MAKE, db_text(decision->thing), db_text(decision->action),
                      db_text(decision->by), db_text(decision->reason), db_text(decision->rule),
                      db_id(decision->report_id));
    *published = DB_ADD(batch, SQL_DECISION_PUBLISHED, db_text(decision->thing));
    return store_run(batch, *hearers, STATUS_NOT_FOUND);
}

struct decision_hearer decision_hearer_read(const struct db_rows *hearers, size_t index)
{
    struct db_row row = db_row(hearers, index);
    struct decision_hearer hearer = {.occasion = db_read_text(&row)};
    hearer.user_id = db_read_integer(&row);
    hearer.language = db_read_text(&row);
    hearer.piece = db_read_text(&row);
    hearer.title = db_read_text(&row);
    return hearer;
}

void decision_mail_add(struct db_batch *batch, int64_t user_id, const struct mail_text *mail)
{
    DB_ADD(batch, SQL_DECISION_MAIL, db_integer(user_id), db_text(mail->subject),
           db_text(mail->body));
}

enum status decision_list(struct db_batch *batch, const char *thing, const struct list_part *part,
                          db_row_function *function, void *context)
{
    DB_STREAM(batch, SQL_DECISION_LIST, function, context, db_text(thing), db_integer(part->after),
              db_id(part->most));
    return db_batch_run(batch);
}
