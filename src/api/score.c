#include "store/score.h"
#include "api/handlers.h"

const struct field score_shape[] = {
    {ROW("score", INTEGER, offsetof(struct score_shown, score))},
    SHAPE_END,
};

enum status handle_recommend(struct call *call)
{
    const struct piece_fields *fields = call->input;
    struct score_shown *shown = call->output;
    return score_recommend(call->batch, piece_named(fields->ids), access_asker(&call->access),
                           &shown->score);
}

enum status handle_take_back(struct call *call)
{
    const struct piece_fields *fields = call->input;
    struct score_shown *shown = call->output;
    return score_take_back(call->batch, piece_named(fields->ids), access_asker(&call->access),
                           &shown->score);
}
