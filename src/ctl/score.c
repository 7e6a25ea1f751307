#include "store/score.h"
#include "ctl/groups.h"
#include "ctl/piece.h"
#include "model/piece.h"

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
    [USER] = {USER_OPTION("user", "the user who recommends the piece"), .required = true},
    PARAMETERS_END,
};

static int recommend(struct invocation *run)
{
    int64_t score = 0;
    const struct value *subject = &run->values[SUBJECT];
    enum status status =
        score_recommend(run->batch, (struct piece_name){subject->subject, subject->number},
                        run->values[USER].number, &score);
    command_print(status, score);
    return command_end(status, "%s", subject->text);
}

const struct command score_commands[] = {
    {.name = "set",
     .summary = "set the score of a piece",
     .parameters = set_parameters,
     .run = set},
    {.name = "recommend",
     .summary = "add one to the score, once for each user, and print the score",
     .details = "The same user's second recommendation of a piece changes nothing, and no user\n"
                "recommends a piece of their own.",
     .parameters = recommend_parameters,
     .run = recommend},
    COMMANDS_END,
};
