#include <stdio.h>

#include "ctl/groups.h"
#include "ctl/piece.h"
#include "store/comment.h"

#define TEXT_PARAMETER                                                                          \
    {                                                                                           \
        .name = "text", .type = {VALUE_TEXT, BODY_RANGE}, .from_input = true, .required = true, \
        .value = "TEXT", .meaning = "what it says; - reads it from standard input"              \
    }
#define COMMENT_PARAMETER                                              \
    {                                                                  \
        .name = "COMMENT", .type = {VALUE_INTEGER, ID_RANGE}, OPERAND, \
        .meaning = "the comment's identifier"                          \
    }

enum { SUBJECT, TEXT, USER };

static const struct parameter add_parameters[] = {
    [SUBJECT] = {.name = "SUBJECT",
                 .type = {VALUE_SUBJECT, .words = SUBJECT_WORDS},
                 OPERAND,
                 .meaning = "album:ID, poi:ID or blog:ID"},
    [TEXT] = TEXT_PARAMETER,
    [USER] = {.name = "user",
              .type = {.kind = VALUE_USER},
              .required = true,
              .value = "USER",
              .meaning = "who says it: identifier or email address"},
    PARAMETERS_END,
};

static int add(struct invocation *run)
{
    int64_t comment_id = 0;
    const struct value *subject = &run->values[SUBJECT];
    enum status status =
        comment_insert(run->batch, subject->subject, subject->number, run->values[USER].number,
                       run->values[TEXT].text, &comment_id);
    if (status == STATUS_OK)
        printf("%lld\n", (long long)comment_id);
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

static const struct parameter remove_parameters[] = {
    [COMMENT] = COMMENT_PARAMETER,
    PARAMETERS_END,
};

static int remove_comment(struct invocation *run)
{
    int64_t comment_id = run->values[COMMENT].number;
    return command_end(comment_delete(run->batch, comment_id), "comment %lld",
                       (long long)comment_id);
}

const struct command comment_commands[] = {
    {.name = "add",
     .summary = "add a comment and print its identifier",
     .parameters = add_parameters,
     .run = add},
    {.name = "reply",
     .summary = "answer a comment, as the owner of the piece, once",
     .parameters = reply_parameters,
     .run = reply},
    {.name = "remove",
     .summary = "remove a comment and its answer",
     .parameters = remove_parameters,
     .destroys = "removes the comment for good",
     .run = remove_comment},
    COMMANDS_END,
};
