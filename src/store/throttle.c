#include "store/throttle.h"

#include "store/registry.h"

enum { LOOK, ATTEMPT, WELCOME, ADJUST };

/* The parameters $1 to $6 of both: a subject, and a rule. */
#define ATTEMPTS "($1::text, $2::text, $3::integer, $4::integer, $5::integer, $6::bigint)"

const struct db_statement throttle_statements[] = {
    [LOOK] = {"throttle_look", "SELECT wait, is_known FROM look_at_login" ATTEMPTS, "lb", false,
              DB_SERVICE},
    [ATTEMPT] = {"throttle_attempt", "SELECT attempt_login" ATTEMPTS, "l", true, DB_SERVICE},
    [WELCOME] = {"throttle_welcome", "SELECT welcome_login($1, $2, $3, $4::integer) IS NULL", "b",
                 true, DB_SERVICE},
    [ADJUST] = {"throttle_adjust",
                "UPDATE login_throttle SET failures = greatest(0, failures + $2::integer)"
                " WHERE subject = login_subject('address', $1::text)",
                "", true, DB_SERVICE},
    DB_STATEMENTS_END,
};

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
    return add(batch, &throttle_statements[LOOK], subject, rule);
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
    return add(batch, &throttle_statements[ATTEMPT], subject, rule);
}

int64_t throttle_wait(const struct db_rows *rows)
{
    struct db_row row = db_row(rows, 0);
    return db_read_integer(&row);
}

void throttle_welcome_add(struct db_batch *batch, int64_t user_id,
                          const struct throttle_subject *subject, const struct throttle_rule *rule)
{
    DB_ADD(batch, &throttle_statements[WELCOME], db_integer(user_id), db_text(subject->email),
           db_text(subject->address), db_integer(rule->hourly));
}

void throttle_adjust_add(struct db_batch *batch, const struct throttle_subject *subject,
                         int64_t change)
{
    DB_ADD(batch, &throttle_statements[ADJUST], db_text(subject->address), db_integer(change));
}
