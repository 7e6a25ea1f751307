#include "api/blog.h"

#include "api/held.h"
#include "api/piece.h"
#include "api/shapes.h"
#include "model/text.h"
#include "store/blog.h"

/* What they take ------------------------------------------------------------------------------- */

#define TAKEN(field) .offset = offsetof(struct blog_fields, field)
/* clang-format off */
#define BLOG_ID {"blogID", {VALUE_INTEGER, ID_RANGE}, TAKEN(blog_id)}
#define BLOG_FIELDS                                                                     \
    {"type", {VALUE_CHOICE, .words = blog_types}, TAKEN(type)},                              \
    {"lat", {VALUE_COORDINATE, LATITUDE_RANGE}, TAKEN(place.lat)},                      \
    {"lng", {VALUE_COORDINATE, LONGITUDE_RANGE}, TAKEN(place.lng)},                     \
    {"blogTitle", {VALUE_LINE, LINE_RANGE}, TAKEN(title)},                              \
    {"blogContent", {VALUE_TEXT, BODY_RANGE}, TAKEN(content)},                    \
    {"date", {.kind = VALUE_DATE}, TAKEN(date)},                                        \
    {"weather", {VALUE_CHOICE, .words = blog_weathers}, TAKEN(weather)},                     \
    {"replyBlogID", {VALUE_INTEGER, ID_RANGE}, TAKEN(reply_blog_id), .optional = true}, \
    {"zoomLevel", {VALUE_INTEGER, RANGE(0, BLOG_ZOOM_MOST)}, TAKEN(zoom_level), .fallback = BLOG_ZOOM_DEFAULT},  \
    {"mapType", {VALUE_INTEGER, RANGE(1, BLOG_MAP_TYPES)}, TAKEN(map_type), .fallback = BLOG_MAP_TYPE_DEFAULT},        \
    {"userCategory", {VALUE_LINE, LINE_RANGE}, TAKEN(user_category), .optional = true}, \
    {"visibility", {VALUE_CHOICE, .words = piece_visibilities}, TAKEN(visibility), .optional = true}, \
    {PUBLISH, {VALUE_CHOICE, .words = only_now}, TAKEN(publish), .optional = true, .is_lenient = true}
/* clang-format on */
#define PUBLISH "publish"

static const char *const only_now[] = {"now", NULL};

const struct param_spec new_blog_params[] = {BLOG_FIELDS, PARAMS_END};
const struct param_spec blog_params[] = {BLOG_ID, BLOG_FIELDS,
                                         BASE_VERSION_PARAM(struct blog_fields), PARAMS_END};
const struct param_spec deleted_blog_params[] = {BLOG_ID, BASE_VERSION_PARAM(struct blog_fields),
                                                 PARAMS_END};
const struct param_spec blog_id_params[] = {BLOG_ID, PARAMS_END};

/* What they answer ----------------------------------------------------------------------------- */

#define GIVEN(field) offsetof(struct blog, field)

const struct field new_blog_shape[] = {
    {ROW("blogID", ID, offsetof(struct blog_posted, blog_id))},
    {ROW("reward", INTEGER, offsetof(struct blog_posted, reward))},
    SHAPE_END,
};

const struct field blog_shape[] = {
    {ROW("authorName", TEXT, GIVEN(author_name))},
    {ROW("authorIcon", TEXT, GIVEN(author_icon))},
    {ROW("type", TEXT, GIVEN(fields.type))},
    {ROW("Location", OBJECT, GIVEN(fields.place)), .shape = place_shape},
    {ROW("blogTitle", TEXT, GIVEN(fields.title))},
    {ROW("blogContent", TEXT, GIVEN(fields.content))},
    {ROW("postDate", OBJECT, GIVEN(fields.date)), .shape = date_shape},
    {ROW("weather", TEXT, GIVEN(fields.weather))},
    {ROW("replyBlogID", ID, GIVEN(fields.reply_blog_id)), .optional = true},
    {ROW("zoomLevel", INTEGER, GIVEN(fields.zoom_level))},
    {ROW("mapType", INTEGER, GIVEN(fields.map_type))},
    {ROW("userCategory", TEXT, GIVEN(fields.user_category)), .optional = true},
    {ROW("score", INTEGER, GIVEN(score))},
    {ROW("vote", OBJECT, GIVEN(vote)), .optional = true, .shape = vote_shape},
    COMMENTS_ROW,
    SHAPE_END,
};

/* What they do --------------------------------------------------------------------------------- */

static void hold_back(struct call *call)
{
    const struct blog_fields *fields = call->input;
    (void)HELD_BACK(call, {fields->title, false}, {fields->content, true},
                    {fields->user_category, false});
}

enum status handle_post_blog(struct call *call)
{
    const struct reward_rule rule = {call->service->config->reward_per_blog,
                                     call->service->config->reward_daily_limit};
    call->refused = PUBLISH;
    hold_back(call);
    return blog_insert(call->batch, access_asker(&call->access), call->input, &rule, call->output);
}

enum status handle_update_blog(struct call *call)
{
    const struct blog_fields *fields = call->input;
    if (fields->reply_blog_id == fields->blog_id) {
        call->refused = "replyBlogID";
        return STATUS_PARAMETER_INVALID;
    }
    call->refused = PUBLISH;
    hold_back(call);
    return blog_update(call->batch, access_asker(&call->access), fields);
}

enum status handle_delete_blog(struct call *call)
{
    const struct blog_fields *fields = call->input;
    return blog_delete(call->batch, access_asker(&call->access), fields);
}

enum status handle_get_blog(struct call *call)
{
    const struct blog_fields *fields = call->input;
    return blog_read(call->batch, call->service->arena, fields->blog_id,
                     access_reader(&call->access), call->output,
                     &(struct entry_sink){call_item, call});
}
