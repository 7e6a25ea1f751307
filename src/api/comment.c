#include "api/comment.h"

#include "api/held.h"
#include "api/shapes.h"
#include "store/comment.h"

/* What they take ------------------------------------------------------------------------------- */

#define TAKEN(field) .offset = offsetof(struct comment_fields, field)
/* clang-format off */
#define COMMENT_ID {"commentID", {VALUE_INTEGER, ID_RANGE}, TAKEN(comment_id)}
/* clang-format on */

static const char *const only_true[] = {"true", NULL};

const struct param_spec comments_params[] = {
    PIECE_PARAM,
    PAGING_PARAMS(struct comment_reading, paging),
    PARAMS_END,
};
const struct param_spec new_comment_params[] = {
    PIECE_PARAM,
    {"comment", {VALUE_TEXT, COMMENT_RANGE, .seen = true}, TAKEN(text)},
    PARAMS_END,
};
/* There is no other change than this. */
const struct param_spec delete_comment_params[] = {
    COMMENT_ID,
    {"delete", {VALUE_CHOICE, .words = only_true}, TAKEN(deleted)},
    PARAMS_END,
};
const struct param_spec comment_id_params[] = {COMMENT_ID, PARAMS_END};
const struct param_spec reply_params[] = {
    COMMENT_ID,
    {"reply", {VALUE_TEXT, COMMENT_RANGE, .seen = true}, TAKEN(text)},
    PARAMS_END,
};

/* What they answer ----------------------------------------------------------------------------- */

#define GIVEN(field) offsetof(struct comment, field)

const struct field new_comment_shape[] = {
    {ROW("commentID", ID, offsetof(struct comment_added, comment_id))},
    SHAPE_END,
};

static const struct field listed_shape[] = {
    {ROW("commentID", ID, GIVEN(comment_id))},
    {ROW("time", TIME, GIVEN(time))},
    {ROW("commenterID", ID, GIVEN(commenter_id))},
    {ROW("commenterName", TEXT, GIVEN(commenter_name))},
    {ROW("commenterIcon", TEXT, GIVEN(commenter_icon))},
    {ROW("comment", TEXT, GIVEN(text))},
    {ROW("authorReply", OBJECT, 0), .optional = true, .shape = author_reply_shape},
    SHAPE_END,
};

const struct field comments_shape[] = {
    {ROW("comments", STREAM, 0), .shape = listed_shape, .item = "comment"},
    {ROW("next", TEXT, offsetof(struct page_shown, next)), .optional = true},
    SHAPE_END,
};

/* What they do --------------------------------------------------------------------------------- */

enum status handle_get_comments(struct call *call)
{
    const struct comment_reading *reading = call->input;
    struct page_shown *shown = call->output;
    struct comment_page page = {.position = {.time = INT64_MIN},
                                .limit = reading->paging.limit,
                                .sink = &(struct entry_sink){call_item, call}};
    enum status status = paging_begin(call, &reading->paging, &page.position, sizeof page.position);
    if (status == STATUS_OK)
        status = comments_page(call->batch, piece_named(reading->piece.ids),
                               access_reader(&call->access), &page);
    if (status == STATUS_OK && page.has_more)
        shown->next = paging_next(call, &page.position, sizeof page.position);
    return status;
}

enum status handle_add_comment(struct call *call)
{
    const struct comment_fields *fields = call->input;
    struct comment_added *added = call->output;
    (void)HELD_BACK(call, {fields->text, false});
    return comment_insert(call->batch, piece_named(fields->piece.ids), access_asker(&call->access),
                          fields->text, &added->comment_id);
}

enum status handle_delete_comment(struct call *call)
{
    const struct comment_fields *fields = call->input;
    return comment_withdraw(call->batch, access_asker(&call->access), fields->comment_id);
}

/* Without a text there is none any more. */
enum status handle_reply_comment(struct call *call)
{
    const struct comment_fields *fields = call->input;
    return comment_answer(call->batch, access_asker(&call->access), fields->comment_id,
                          fields->text);
}
