/*
 * Decisions of operators, as commands: each is carried out, kept, and told by mail to whom it
 * concerns, all of it or nothing.
 */
#ifndef MAPDIARY_CTL_DECIDE_H
#define MAPDIARY_CTL_DECIDE_H

#include "cli/command.h"
#include "model/report.h"

/* The parameters of a decision: the thing that it is about, and these. */
enum { DECIDE_WHAT, DECIDE_REASON, DECIDE_RULE, DECIDE_BY };

/* clang-format off */
#define DECIDE_PARAMETERS(what, is_rule_required) {                                           \
    [DECIDE_WHAT] = what,                                                                     \
    [DECIDE_REASON] = {.name = "reason", .type = {VALUE_TEXT, RANGE(1, REPORT_REASON_MOST)},  \
                       .from_input = true, .required = true, .value = "TEXT",                 \
                       .meaning = "the reason, told to the users concerned; "                 \
                                  "- reads the reason from standard input"},                  \
    [DECIDE_RULE] = {.name = "rule", .type = {VALUE_LINE, RANGE(1, REPORT_REASON_MOST)},      \
                     .required = (is_rule_required), .value = "TEXT",                         \
                     .meaning = "the rule of the site, or the law"},                          \
    [DECIDE_BY] = {.name = "by", .type = {VALUE_LINE, LINE_RANGE}, .value = "NAME",           \
                   .meaning = "the author of the decision (the name of the calling user)"},   \
    PARAMETERS_END}
/* clang-format on */

/** Carries an action out with the values of those parameters, for the thing "album:7" or "user:7";
 * report_id is the report that the decision follows from, or 0. Answers the exit status. */
int decide(struct invocation *run, const char *action, const char *thing, int64_t report_id);

/** Runs a command whose name is the action. Its thing is a subject ("album:7"), or an identifier of
 * the kind that its group is named after. */
int decide_about(struct invocation *run);

#endif
