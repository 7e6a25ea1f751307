#include "store/report.h"

#include <string.h>

#include "base/log.h"
#include "ctl/decide.h"
#include "ctl/groups.h"
#include "ctl/report_watch.h"
#include "store/decision.h"

/* As the enumeration of the schema. */
static const char *const states[] = {"open", "upheld", "dismissed", NULL};

/* List --------------------------------------------------------------------------------------- */

enum { LIST_STATE, LIST_BY, LIST_PART };

static const struct parameter list_parameters[] = {
    [LIST_STATE] = {.name = "state",
                    .type = {.kind = VALUE_CHOICE, .words = states},
                    .value = "STATE",
                    .meaning = "only reports that are open, upheld or dismissed"},
    [LIST_BY] = {USER_OPTION("by", "only reports by this user")},
    [LIST_PART] = PART_PARAMETERS,
    PARAMETERS_END,
};

static const char *const listed[] = {"report",   "state",  "thing", "reporterID",
                                     "reported", "reason", "says",  NULL};

static int list(struct invocation *run)
{
    const struct value *values = run->values;
    const struct list_part part = part_of(&values[LIST_PART]);
    struct output_rows rows = {run->out, listed};
    return command_end(report_list(run->batch, values[LIST_STATE].text, values[LIST_BY].number,
                                   &part, output_row, &rows),
                       "reports");
}

static const struct parameter watch_parameters[] = {PARAMETERS_END};

static int watch(struct invocation *run)
{
    return report_watch_run(run, listed);
}

/* Show --------------------------------------------------------------------------------------- */

#define REPORT_PARAMETER ID_OPERAND("REPORT", "the report, by its identifier")

static const struct parameter show_parameters[] = {
    [DECIDE_WHAT] = REPORT_PARAMETER,
    PARAMETERS_END,
};

static const char *const shown[] = {"report",   "state",  "thing",   "reporterID", "reporterName",
                                    "reported", "reason", "decided", "says",       NULL};

static const char *const decisions[] = {"decided", "by",   "action", "report",
                                        "reason",  "rule", NULL};

static void show_rows(struct output *out, const struct report_rows *rows)
{
    struct db_row row = db_row(rows->report, 0);
    output_object(out, NULL);
    output_columns(out, shown, &row);
    output_list_of(out, "decisions", decisions, rows->decisions);
    output_end(out);
}

static int show(struct invocation *run)
{
    struct report_rows rows;
    const struct value *report = &run->values[DECIDE_WHAT];
    enum status status = report_show(run->batch, report->number, &rows);
    if (status == STATUS_OK)
        show_rows(run->out, &rows);
    return command_end(status, "report %s", report->text);
}

/* Decide ------------------------------------------------------------------------------------- */

static const struct parameter uphold_parameters[] = DECIDE_PARAMETERS(REPORT_PARAMETER, true);
static const struct parameter dismiss_parameters[] = DECIDE_PARAMETERS(REPORT_PARAMETER, false);

/* It is locked until what follows from it is carried out. */
static int decide_report(struct invocation *run, const char *action)
{
    const char *thing = NULL;
    const struct value *report = &run->values[DECIDE_WHAT];
    db_batch_hold(run->batch);
    enum status status = report_thing(run->batch, report->number, &thing);
    if (status == STATUS_CONFLICT) {
        log_error("report %s: it was decided already (report show)", report->text);
        return EXIT_REFUSED;
    }
    if (status != STATUS_OK)
        return command_end(status, "report %s", report->text);
    thing = arena_copy(run->arena, thing, strlen(thing));
    return decide(run, action, thing, report->number);
}

static int uphold(struct invocation *run)
{
    return decide_report(run, "hide");
}

static int dismiss(struct invocation *run)
{
    return decide_report(run, "dismiss");
}

const struct command report_commands[] = {
    {.name = "list",
     .summary = "list the reports of readers, and texts that are held for a word",
     .parameters = list_parameters,
     .shows = SHOWS_LIST,
     .run = list},
    {.name = "watch",
     .summary = "show reports as they come, until you end the command",
     .details = "Each report is a line, at once: for a terminal, or for a pipe into a chat.",
     .parameters = watch_parameters,
     .shows = SHOWS_LIST,
     .run = watch},
    {.name = "show",
     .summary = "show a report, and the decisions about its thing",
     .parameters = show_parameters,
     .shows = SHOWS_ONE,
     .run = show},
    {.name = "dismiss",
     .summary = "decide that the reported thing stays, and tell the reporter",
     .details =
         "A text that was held for a word is shown from then on. Other reports of it stay open.",
     .parameters = dismiss_parameters,
     .run = dismiss},
    {.name = "uphold",
     .summary = "decide that the reported thing is hidden, and tell the owner and the reporters",
     .details = "The decision upholds all open reports of the thing.",
     .parameters = uphold_parameters,
     .run = uphold},
    COMMANDS_END,
};

/* Decisions ---------------------------------------------------------------------------------- */

enum { DECISION_THING, DECISION_PART };

static const struct parameter decision_parameters[] = {
    [DECISION_THING] = {.name = "about",
                        .type = {VALUE_LINE, LINE_RANGE},
                        .value = "THING",
                        .meaning = "only decisions about this thing: album:ID, poi:ID, blog:ID, "
                                   "comment:ID, photo:ID or user:ID"},
    [DECISION_PART] = PART_PARAMETERS,
    PARAMETERS_END,
};

static const char *const decided[] = {"decision", "decided", "by",     "action", "thing",
                                      "ownerID",  "report",  "reason", "rule",   NULL};

static int list_decisions(struct invocation *run)
{
    const struct value *values = run->values;
    const struct list_part part = part_of(&values[DECISION_PART]);
    struct output_rows rows = {run->out, decided};
    return command_end(
        decision_list(run->batch, values[DECISION_THING].text, &part, output_row, &rows),
        "decisions");
}

const struct command decision_commands[] = {
    {.name = "list",
     .summary = "list the decisions of operators, with author, time and reason",
     .details = "The role of the service can add decisions, and can change none.",
     .parameters = decision_parameters,
     .shows = SHOWS_LIST,
     .run = list_decisions},
    COMMANDS_END,
};
