#include "api/piece.h"

#include "api/shapes.h"
#include "store/piece.h"
#include "store/score.h"

/* clang-format off */
#define ID(name, subject)                                                                    \
    {(name), {VALUE_INTEGER, ID_RANGE},                                                      \
     .offset = offsetof(struct piece_fields, ids[subject]), .optional = true}
const struct param_spec piece_names[] = {
    ID("albumID", SUBJECT_ALBUM),
    ID("POIID", SUBJECT_POI),
    ID("blogID", SUBJECT_BLOG),
    PARAMS_END,
};
/* clang-format on */

const struct param_spec piece_params[] = {PIECE_PARAM, PARAMS_END};

#define GIVEN(field) offsetof(struct piece_summary, field)

const struct field piece_shape[] = {
    {ROW("kind", TEXT, GIVEN(kind))},
    {ROW("ownerID", ID, GIVEN(owner_id))},
    {ROW("title", TEXT, GIVEN(title))},
    {ROW("commentCount", INTEGER, GIVEN(comment_count))},
    {ROW("visibility", TEXT, GIVEN(visibility)), .optional = true},
    {ROW("recommended", TEXT, GIVEN(recommended)), .optional = true},
    {ROW("choice", INTEGER, GIVEN(choice)), .optional = true},
    {ROW("closed", TEXT, GIVEN(closed)), .optional = true},
    {ROW("hidden", TEXT, GIVEN(hidden)), .optional = true},
    {ROW("hiddenReason", TEXT, GIVEN(hidden_reason)), .optional = true},
    {ROW("publicFrom", OBJECT, GIVEN(public_from)), .optional = true, .shape = date_shape},
    {ROW("version", INTEGER, GIVEN(version)), .optional = true},
    SHAPE_END,
};

const struct field score_shape[] = {
    {ROW("score", INTEGER, offsetof(struct score_shown, score))},
    SHAPE_END,
};

enum status handle_get_piece(struct call *call)
{
    const struct piece_fields *fields = call->input;
    return piece_summarize(call->batch, piece_named(fields->ids), access_reader(&call->access),
                           call->output);
}

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
