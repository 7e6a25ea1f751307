#include "store/vote.h"
#include "base/buffer.h"
#include "base/log.h"
#include "ctl/groups.h"

#define BLOG_PARAMETER ID_OPERAND("BLOG", "the blog's identifier")

enum { BLOG, DESCRIPTION, CHOICES };

static const struct parameter create_parameters[] = {
    [BLOG] = BLOG_PARAMETER,
    [DESCRIPTION] = {.name = "description",
                     .type = {VALUE_LINE, LINE_RANGE},
                     .required = true,
                     .value = "TEXT",
                     .meaning = "the question"},
    [CHOICES] = {.name = "choice",
                 .type = {VALUE_LINE, LINE_RANGE},
                 .required = true,
                 .many = true,
                 .value = "TEXT",
                 .meaning = "an answer, one of 2 to 10; they are numbered from 1"},
    PARAMETERS_END,
};

static int create(struct invocation *run)
{
    struct buffer lines = {0};
    const struct value *choices = &run->values[CHOICES];
    if (choices->count < VOTE_CHOICES_LEAST || choices->count > VOTE_CHOICES_MOST) {
        log_error("--choice: stands %zu times; a vote has %d to %d answers", choices->count,
                  VOTE_CHOICES_LEAST, VOTE_CHOICES_MOST);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < choices->count; i++)
        buffer_add_format(&lines, "%s%s", i == 0 ? "" : "\n", choices->texts[i]);
    buffer_add(&lines, "", 1);
    enum status status = vote_create(run->batch, 0, run->values[BLOG].number,
                                     run->values[DESCRIPTION].text, lines.data);
    buffer_free(&lines);
    return command_end(status, "vote of blog %s", run->values[BLOG].text);
}

enum { USER = 1, CHOICE };

static const struct parameter cast_parameters[] = {
    [BLOG] = BLOG_PARAMETER,
    [USER] = {USER_OPTION("user", "who votes"), .required = true},
    [CHOICE] = {.name = "choice",
                .type = {VALUE_INTEGER, RANGE(1, VOTE_POSITION_MOST)},
                .required = true,
                .value = "N",
                .meaning = "the number of the answer"},
    PARAMETERS_END,
};

static int cast(struct invocation *run)
{
    const struct value *values = run->values;
    enum status status = vote_cast(run->batch, NULL, values[USER].number, values[BLOG].number,
                                   values[CHOICE].number, NULL);
    return command_end(status, "vote of user %s for choice %s of blog %s", values[USER].text,
                       values[CHOICE].text, values[BLOG].text);
}

static const struct parameter close_parameters[] = {
    [BLOG] = BLOG_PARAMETER,
    PARAMETERS_END,
};

static int close_vote(struct invocation *run)
{
    return command_end(vote_close(run->batch, NULL, 0, run->values[BLOG].number, NULL),
                       "vote of blog %s", run->values[BLOG].text);
}

const struct command vote_commands[] = {
    {.name = "create",
     .summary = "give a blog a vote",
     .parameters = create_parameters,
     .run = create},
    {.name = "cast",
     .summary = "vote for a user, who has one vote in each; the same again changes nothing",
     .parameters = cast_parameters,
     .run = cast},
    {.name = "close",
     .summary = "take no more votes",
     .parameters = close_parameters,
     .run = close_vote},
    COMMANDS_END,
};
