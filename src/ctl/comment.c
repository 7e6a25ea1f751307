#include "store/comment.h"
#include "ctl/change.h"
#include "ctl/decide.h"
#include "ctl/groups.h"
#include "ctl/piece.h"

#define TEXT_PARAMETER                    \
    {.name = "text",                      \
     .type = {VALUE_TEXT, COMMENT_RANGE}, \
     .from_input = true,                  \
     .required = true,                    \
     .value = "TEXT",                     \
     .meaning = "the text; - reads the text from standard input"}
#define COMMENT_PARAMETER ID_OPERAND("COMMENT", "the comment's identifier")

enum { SUBJECT, TEXT, USER };

static const struct parameter add_parameters[] = {
    [SUBJECT] = SUBJECT_PARAMETER,
    [TEXT] = TEXT_PARAMETER,
    [USER] = {USER_OPTION("user", "the writer"), .required = true},
    PARAMETERS_END,
};

static int add(struct invocation *run)
{
    int64_t comment_id = 0;
    const struct value *subject = &run->values[SUBJECT];
    enum status status =
        comment_insert(run->batch, (struct piece_name){subject->subject, subject->number},
                       run->values[USER].number, run->values[TEXT].text, &comment_id);
    command_print(status, comment_id);
    return command_end(status, "%s", subject->text);
}

enum { COMMENT };

static const struct parameter reply_parameters[] = {
    [COMMENT] = COMMENT_PARAMETER,
    [TEXT] = TEXT_PARAMETER,
    PARAMETERS_END,
};

static int reply(struct invocation *run)
{
    int64_t comment_id = run->values[COMMENT].number;
    return command_end(comment_reply(run->batch, comment_id, run->values[TEXT].text),
                       "reply to comment %lld", (long long)comment_id);
}

enum { CHANGED_TEXT, CHANGED_REPLY, CHANGED_COMMENT };

static const struct parameter update_parameters[] = {
    [CHANGED_TEXT] = {.name = "text",
                      .type = {VALUE_TEXT, BODY_RANGE},
                      .from_input = true,
                      .value = "TEXT",
                      .meaning = "the text; - reads the text from standard input"},
    [CHANGED_REPLY] = {.name = "reply",
                       .type = {VALUE_TEXT, RANGE(0, TEXT_BODY_MOST)},
                       .value = "TEXT",
                       .meaning = "the answer of the piece's owner; '' for none"},
    [CHANGED_COMMENT] = COMMENT_PARAMETER,
    PARAMETERS_END,
};

static int update(struct invocation *run)
{
    const struct value *values = run->values;
    int64_t comment_id = values[CHANGED_COMMENT].number;
    if (!change_is_given(run))
        return EXIT_USAGE;
    return command_end(
        comment_edit(run->batch, comment_id, values[CHANGED_TEXT].text, values[CHANGED_REPLY].text),
        "comment %lld", (long long)comment_id);
}

static const struct parameter comment_parameters[] = {
    [COMMENT] = COMMENT_PARAMETER,
    PARAMETERS_END,
};

static int remove_comment(struct invocation *run)
{
    int64_t comment_id = run->values[COMMENT].number;
    return command_end(comment_delete(run->batch, comment_id), "comment %lld",
                       (long long)comment_id);
}

/* Where it stands, which is one of the three, first. */
static const char *const shown[] = {"commentID", "albumID",     "POIID",         "blogID",
                                    "time",      "commenterID", "commenterName", "comment",
                                    "replyTime", "reply",       "hidden",        NULL};

static int show(struct invocation *run)
{
    struct output_rows rows = {run->out, shown};
    int64_t comment_id = run->values[COMMENT].number;
    return command_end(comment_show(run->batch, comment_id, output_row, &rows), "comment %lld",
                       (long long)comment_id);
}

enum { LIST_USER, LIST_PART };

static const struct parameter list_parameters[] = {
    [LIST_USER] = {USER_OPTION("user", "only comments that this user wrote")},
    [LIST_PART] = PART_PARAMETERS,
    PARAMETERS_END,
};

static int list(struct invocation *run)
{
    const struct value *values = run->values;
    const struct list_part part = part_of(&values[LIST_PART]);
    struct output_rows rows = {run->out, shown};
    enum status status =
        comment_list(run->batch, values[LIST_USER].number, &part, output_row, &rows);
    return command_end(status, "comments");
}

/* Decide ------------------------------------------------------------------------------------- */

static const struct parameter hide_parameters[] = DECIDE_PARAMETERS(COMMENT_PARAMETER, true);
static const struct parameter unhide_parameters[] = DECIDE_PARAMETERS(COMMENT_PARAMETER, false);

const struct command comment_commands[] = {
    {.name = "add",
     .summary = "add a comment and print its identifier",
     .parameters = add_parameters,
     .run = add},
    {.name = "reply",
     .summary = "answer a comment, as the owner of the piece, in the place of the answer before",
     .parameters = reply_parameters,
     .run = reply},
    {.name = "update",
     .summary = "change the given values, and leave the rest",
     .parameters = update_parameters,
     .run = update},
    {.name = "remove",
     .summary = "remove a comment and its answer",
     .parameters = comment_parameters,
     .destroys = "removes the comment for good",
     .run = remove_comment},
    {.name = "show",
     .summary = "show a comment and its piece",
     .parameters = comment_parameters,
     .shows = SHOWS_ONE,
     .run = show},
    {.name = "list",
     .summary = "list comments and their pieces",
     .parameters = list_parameters,
     .shows = SHOWS_LIST,
     .run = list},
    {.name = "hide",
     .summary = "hide a comment from everybody",
     .details =
         "The comment stays in the writer's own list of comments. The decision upholds the open\n"
         "reports of the comment. The writer and the reporters are told by mail.",
     .parameters = hide_parameters,
     .run = decide_about},
    {.name = "unhide",
     .summary = "show a hidden or held comment again",
     .details = "The writer is told by mail. The decision dismisses the open reports of the\n"
                "comment.",
     .parameters = unhide_parameters,
     .run = decide_about},
    COMMANDS_END,
};
