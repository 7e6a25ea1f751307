#include "api/vote.h"

#include "api/shapes.h"
#include "store/vote.h"

/* What they take ------------------------------------------------------------------------------- */

#define TAKEN(field) .offset = offsetof(struct vote_fields, field)
/* clang-format off */
#define BLOG_ID {"blogID", {VALUE_INTEGER, ID_RANGE}, TAKEN(blog_id)}
#define SEEN_LINE {VALUE_LINE, LINE_RANGE, .seen = true}
#define CHOICE(name, number) {(name), SEEN_LINE, TAKEN(choices[(number) - 1])}
#define MAY_CHOICE(name, number) \
    {(name), SEEN_LINE, TAKEN(choices[(number) - 1]), .optional = true}
/* clang-format on */

const struct param_spec new_vote_params[] = {
    BLOG_ID,
    {"description", SEEN_LINE, TAKEN(description)},
    CHOICE("choice1", 1),
    CHOICE("choice2", 2),
    MAY_CHOICE("choice3", 3),
    MAY_CHOICE("choice4", 4),
    MAY_CHOICE("choice5", 5),
    MAY_CHOICE("choice6", 6),
    MAY_CHOICE("choice7", 7),
    MAY_CHOICE("choice8", 8),
    MAY_CHOICE("choice9", 9),
    MAY_CHOICE("choice10", VOTE_CHOICES_MOST),
    PARAMS_END,
};
enum { FIRST_CHOICE = 2 }; /* of those */

const struct param_spec cast_params[] = {
    BLOG_ID,
    {"choice", {VALUE_INTEGER, RANGE(1, VOTE_POSITION_MOST)}, TAKEN(choice)},
    PARAMS_END,
};
const struct param_spec vote_params[] = {BLOG_ID, PARAMS_END};

/* What they answer ----------------------------------------------------------------------------- */

const struct field voted_shape[] = {
    {ROW("vote", OBJECT, 0), .shape = vote_shape},
    SHAPE_END,
};

/* What they do --------------------------------------------------------------------------------- */

static enum status refuse(struct call *call, const char *name, enum status status)
{
    call->refused = name;
    return status;
}

/* As lines. There is none behind one that is missing. */
static enum status join_choices(struct call *call, const char **lines)
{
    const struct vote_fields *fields = call->input;
    size_t count = VOTE_CHOICES_MOST;
    while (fields->choices[count - 1] == NULL)
        count--;
    *lines = fields->choices[0];
    for (size_t i = 1; i < count; i++) {
        if (fields->choices[i] == NULL)
            return refuse(call, new_vote_params[FIRST_CHOICE + i].name, STATUS_PARAMETER_MISSING);
        *lines = arena_format(call->service->arena, "%s\n%s", *lines, fields->choices[i]);
    }
    return STATUS_OK;
}

enum status handle_add_vote(struct call *call)
{
    const struct vote_fields *fields = call->input;
    const char *choices;
    enum status status = join_choices(call, &choices);
    if (status != STATUS_OK)
        return status;
    status = vote_create(call->batch, access_asker(&call->access), fields->blog_id,
                         fields->description, choices);
    return status == STATUS_CONFLICT ? refuse(call, "blogID", STATUS_PARAMETER_INVALID) : status;
}

enum status handle_cast_vote(struct call *call)
{
    const struct vote_fields *fields = call->input;
    enum status status = vote_cast(call->batch, call->service->arena, access_asker(&call->access),
                                   fields->blog_id, fields->choice, call->output);
    return status == STATUS_NOT_FOUND ? refuse(call, "choice", STATUS_PARAMETER_INVALID) : status;
}

enum status handle_close_vote(struct call *call)
{
    const struct vote_fields *fields = call->input;
    return vote_close(call->batch, call->service->arena, access_asker(&call->access),
                      fields->blog_id, call->output);
}
