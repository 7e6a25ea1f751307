#include "store/throttle.h"

#include "store/registry.h"

enum { ATTEMPT, FORGIVE };

#define ACCOUNT "sha256(convert_to('account ' || lower($1::text), 'UTF8'))"
#define ADDRESS "sha256(convert_to('address ' || $2::text, 'UTF8'))"

const struct db_statement throttle_statements[] = {
    [ATTEMPT] = {"throttle_attempt",
                 "SELECT attempt_login(" ACCOUNT ", $3::integer, " ADDRESS
                 ", $4::integer, $5::bigint)",
                 "l", true, DB_SERVICE},
    [FORGIVE] = {"throttle_forgive", "SELECT forgive_login(" ACCOUNT ", " ADDRESS ") IS NULL", "b",
                 true, DB_SERVICE},
    DB_STATEMENTS_END,
};

const struct db_rows *throttle_attempt_add(struct db_batch *batch,
                                           const struct throttle_subject *subject,
                                           const struct throttle_rule *rule)
{
    return DB_ADD(batch, &throttle_statements[ATTEMPT], db_text(subject->email),
                  db_text(subject->address), db_integer(rule->account_free),
                  db_integer(rule->address_free), db_integer(rule->longest_wait));
}

int64_t throttle_wait(const struct db_rows *rows)
{
    struct db_row row = db_row(rows, 0);
    return db_read_integer(&row);
}

void throttle_forgive_add(struct db_batch *batch, const struct throttle_subject *subject)
{
    DB_ADD(batch, &throttle_statements[FORGIVE], db_text(subject->email),
           db_text(subject->address));
}
