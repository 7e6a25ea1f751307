/*
 * Decisions of operators, as commands: each is carried out, kept, and told by mail to whom it
 * concerns, all of it or nothing.
 */
#ifndef MAPDIARY_CTL_DECIDE_H
#define MAPDIARY_CTL_DECIDE_H

#include "cli/command.h"
#include "model/report.h"

/* The parameters of a decision: what it is about, and these. */
enum { DECIDE_WHAT, DECIDE_REASON, DECIDE_RULE, DECIDE_BY };

/* clang-format off */
#define DECIDE_REASON_PARAMETER                                                               \
    [DECIDE_REASON] = {.name = "reason", .type = {VALUE_TEXT, RANGE(1, REPORT_REASON_MOST)},  \
                       .from_input = true, .required = true, .value = "TEXT",                 \
                       .meaning = "why, as those concerned hear it; - reads it from standard input"}
#define DECIDE_RULE_PARAMETER                                                                 \
    [DECIDE_RULE] = {.name = "rule", .type = {VALUE_LINE, RANGE(1, REPORT_REASON_MOST)},      \
                     .required = true, .value = "TEXT",                                       \
                     .meaning = "by which rule of the site, or which law"}
#define DECIDE_NO_RULE_PARAMETER                                                              \
    [DECIDE_RULE] = {.name = "rule", .type = {VALUE_LINE, RANGE(1, REPORT_REASON_MOST)},      \
                     .value = "TEXT", .meaning = "by which rule of the site, or which law"}
#define DECIDE_BY_PARAMETER                                                                   \
    [DECIDE_BY] = {.name = "by", .type = {VALUE_LINE, LINE_RANGE}, .value = "NAME",           \
                   .meaning = "who decides (the name of the user who has called this)"}
/* clang-format on */

/** Carries it out with the values of those parameters, for the thing "album:7" or "user:7"; the
 * report that it follows from is 0 without one. Answers the exit status. */
int decide(struct invocation *run, const char *action, const char *thing, int64_t report_id);

/** The same about a thing by its identifier: "comment", "photo", "user". */
int decide_about(struct invocation *run, const char *action, const char *kind, int64_t id);

#endif
