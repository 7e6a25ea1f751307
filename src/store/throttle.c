#include "store/throttle.h"

#include "store/statements.h"

static const struct db_rows *add(struct db_batch *batch, const struct db_statement *statement,
                                 const struct throttle_subject *subject,
                                 const struct throttle_rule *rule)
{
    return DB_ADD(batch, statement, db_text(subject->email), db_text(subject->address),
                  db_integer(rule->account_free), db_integer(rule->address_free),
                  db_integer(rule->hourly), db_integer(rule->longest_wait));
}

const struct db_rows *throttle_look_add(struct db_batch *batch,
                                        const struct throttle_subject *subject,
                                        const struct throttle_rule *rule)
{
    return add(batch, SQL_THROTTLE_LOOK, subject, rule);
}

struct throttle_look throttle_look_read(const struct db_rows *rows)
{
    struct db_row row = db_row(rows, 0);
    struct throttle_look look = {.wait = db_read_integer(&row)};
    look.is_known = db_read_boolean(&row);
    return look;
}

const struct db_rows *throttle_attempt_add(struct db_batch *batch,
                                           const struct throttle_subject *subject,
                                           const struct throttle_rule *rule)
{
    return add(batch, SQL_THROTTLE_ATTEMPT, subject, rule);
}

int64_t throttle_wait(const struct db_rows *rows)
{
    struct db_row row = db_row(rows, 0);
    return db_read_integer(&row);
}

void throttle_welcome_add(struct db_batch *batch, int64_t user_id,
                          const struct throttle_subject *subject, const struct throttle_rule *rule)
{
    DB_ADD(batch, SQL_THROTTLE_WELCOME, db_integer(user_id), db_text(subject->email),
           db_text(subject->address), db_integer(rule->hourly));
}

void throttle_adjust_add(struct db_batch *batch, const struct throttle_subject *subject,
                         int64_t change)
{
    DB_ADD(batch, SQL_THROTTLE_ADJUST, db_text(subject->address), db_integer(change));
}
