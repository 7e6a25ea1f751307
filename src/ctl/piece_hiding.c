#include "ctl/decide.h"
#include "ctl/groups.h"
#include "ctl/piece.h"

#define SUBJECT_PARAMETER                                             \
    [DECIDE_WHAT] = {.name = "SUBJECT",                               \
                     .type = {VALUE_SUBJECT, .words = SUBJECT_WORDS}, \
                     OPERAND,                                         \
                     .meaning = "album:ID, poi:ID or blog:ID"}

static const struct parameter hide_parameters[] = {
    SUBJECT_PARAMETER,   DECIDE_REASON_PARAMETER, DECIDE_RULE_PARAMETER,
    DECIDE_BY_PARAMETER, PARAMETERS_END,
};
static const struct parameter unhide_parameters[] = {
    SUBJECT_PARAMETER,   DECIDE_REASON_PARAMETER, DECIDE_NO_RULE_PARAMETER,
    DECIDE_BY_PARAMETER, PARAMETERS_END,
};

static int decide_about_piece(struct invocation *run, const char *action)
{
    const struct value *piece = &run->values[DECIDE_WHAT];
    return decide_about(run, action, subject_names[piece->subject], piece->number);
}

static int hide(struct invocation *run)
{
    return decide_about_piece(run, "hide");
}

static int unhide(struct invocation *run)
{
    return decide_about_piece(run, "unhide");
}

const struct command piece_commands[] = {
    {.name = "hide",
     .summary = "hide an album, a place or a blog from everybody but its owner",
     .details = "The owner is told by mail, and so is who has reported it: those reports are\n"
                "upheld by that. report show and decision list have what was decided.",
     .parameters = hide_parameters,
     .run = hide},
    {.name = "unhide",
     .summary = "show again what was hidden, or held back for a look",
     .details = "The owner is told by mail. Reports of it that are open are dismissed by that.",
     .parameters = unhide_parameters,
     .run = unhide},
    COMMANDS_END,
};
