#include <stdio.h>

#include "ctl/groups.h"
#include "ctl/piece.h"
#include "model/piece.h"
#include "store/score.h"

#define SUBJECT_PARAMETER                                                            \
    {                                                                                \
        .name = "SUBJECT", .type = {VALUE_SUBJECT, .words = SUBJECT_WORDS}, OPERAND, \
        .meaning = "album:ID, poi:ID or blog:ID"                                     \
    }

enum { SUBJECT, SCORE };

static const struct parameter set_parameters[] = {
    [SUBJECT] = SUBJECT_PARAMETER,
    [SCORE] = {.name = "score",
               .type = {VALUE_INTEGER, RANGE(SCORE_LEAST, SCORE_MOST)},
               .required = true,
               .value = "N",
               .meaning = "the score"},
    PARAMETERS_END,
};

static int set(struct invocation *run)
{
    const struct value *subject = &run->values[SUBJECT];
    return command_end(
        score_set(run->batch, subject->subject, subject->number, run->values[SCORE].number), "%s",
        subject->text);
}

enum { USER = 1 };

static const struct parameter recommend_parameters[] = {
    [SUBJECT] = SUBJECT_PARAMETER,
    [USER] = {.name = "user",
              .type = {.kind = VALUE_USER},
              .required = true,
              .value = "USER",
              .meaning = "who recommends it: identifier or email address"},
    PARAMETERS_END,
};

static int recommend(struct invocation *run)
{
    int64_t score = 0;
    const struct value *subject = &run->values[SUBJECT];
    enum status status =
        score_recommend(run->batch, (struct piece_name){subject->subject, subject->number},
                        run->values[USER].number, &score);
    if (status == STATUS_OK)
        printf("%lld\n", (long long)score);
    return command_end(status, "%s", subject->text);
}

const struct command score_commands[] = {
    {.name = "set",
     .summary = "set the score of a piece",
     .parameters = set_parameters,
     .run = set},
    {.name = "recommend",
     .summary = "add one to the score, once a user, and print it",
     .details =
         "The same user's second recommendation of a piece changes nothing, and nobody recommends what\n"
         "is their own.",
     .parameters = recommend_parameters,
     .run = recommend},
    COMMANDS_END,
};
