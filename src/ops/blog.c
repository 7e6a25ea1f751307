#include "ops/answer.h"
#include "ops/handlers.h"

static const char *const types[] = {"0_0", "0_1", "0_2", "0_3", "0_4",
                                    "0_5", "0_6", "0_7", "0_8", NULL};
static const char *const weathers[] = {"晴空萬里", "狂風暴雨", "陰雨綿綿", "雨過天晴",
                                       "烏雲滿天", "大雪數日", "有彩虹",   NULL};

#define FIELD(name) offsetof(struct blog_fields, name)

const struct param_spec blog_params[BLOG_PARAMS] = {
    {"blogID", PARAM_INTEGER, FIELD(blog_id), PARAM_ID_RANGE},
    {"type", PARAM_CHOICE, FIELD(type), .choices = types},
    {"lat", PARAM_COORDINATE, FIELD(lat), PARAM_RANGE(-90, 90)},
    {"lng", PARAM_COORDINATE, FIELD(lng), PARAM_RANGE(-180, 180)},
    {"blogTitle", PARAM_LINE, FIELD(title), PARAM_LINE_RANGE},
    {"blogContent", PARAM_TEXT, FIELD(content), PARAM_RANGE(1, 100000)},
    {.kind = PARAM_DATE, .offset = FIELD(date)},
    {"weather", PARAM_CHOICE, FIELD(weather), .choices = weathers},
    {"replyBlogID", PARAM_INTEGER, FIELD(reply_blog_id), PARAM_ID_RANGE, .optional = true},
    {"zoomLevel", PARAM_INTEGER, FIELD(zoom_level), PARAM_RANGE(0, 21), .fallback = "14"},
    {"mapType", PARAM_INTEGER, FIELD(map_type), PARAM_RANGE(1, 3), .fallback = "1"},
    {"userCategory", PARAM_LINE, FIELD(user_category), PARAM_LINE_RANGE, .optional = true},
};

enum status handle_post_blog(struct call *call)
{
    const struct reward_rule rule = {call->config->reward_per_blog,
                                     call->config->reward_daily_limit};
    int64_t blog_id = 0, reward = 0;
    enum status status = blog_insert(call->batch, access_asker(&call->access), call->input, &rule,
                                     &blog_id, &reward);
    if (status != STATUS_OK)
        return status;
    xml_add_integer(call->answer, "blogID", blog_id);
    xml_add_integer(call->answer, "reward", reward);
    return STATUS_OK;
}

enum status handle_update_blog(struct call *call)
{
    const struct blog_fields *fields = call->input;
    if (fields->reply_blog_id == fields->blog_id) {
        call->refused = "replyBlogID";
        return STATUS_PARAMETER_INVALID;
    }
    return blog_update(call->batch, access_asker(&call->access), fields);
}

enum status handle_delete_blog(struct call *call)
{
    const struct blog_fields *fields = call->input;
    return blog_delete(call->batch, access_asker(&call->access), fields->blog_id);
}

static void answer_vote(struct buffer *out, const struct vote *vote)
{
    if (vote->description == NULL)
        return;
    xml_start(out, "vote");
    xml_add_text(out, "description", vote->description);
    xml_start(out, "choices");
    for (size_t i = 0; i < vote->choice_count; i++) {
        xml_start_item(out, "choice", i + 1);
        xml_add_text(out, "description", vote->choices[i].description);
        xml_add_integer(out, "votes", vote->choices[i].votes);
        xml_end_item(out, "choice", i + 1);
    }
    xml_end(out, "choices");
    xml_end(out, "vote");
}

static void answer_blog(struct buffer *answer, const struct blog *blog)
{
    const struct blog_fields *fields = &blog->fields;
    xml_add_text(answer, "authorName", blog->author_name);
    xml_add_text(answer, "authorIcon", blog->author_icon);
    xml_add_text(answer, "type", fields->type);
    answer_location(answer, fields->lat, fields->lng);
    xml_add_text(answer, "blogTitle", fields->title);
    xml_add_text(answer, "blogContent", fields->content);
    answer_date(answer, "postDate", fields->date);
    xml_add_text(answer, "weather", fields->weather);
    if (fields->reply_blog_id != 0)
        xml_add_integer(answer, "replyBlogID", fields->reply_blog_id);
    xml_add_integer(answer, "zoomLevel", fields->zoom_level);
    xml_add_integer(answer, "mapType", fields->map_type);
    if (fields->user_category != NULL)
        xml_add_text(answer, "userCategory", fields->user_category);
    xml_add_integer(answer, "score", blog->score);
    answer_vote(answer, &blog->vote);
    answer_comments(answer, &blog->comments);
}

enum status handle_get_blog(struct call *call)
{
    const struct blog_fields *fields = call->input;
    struct blog blog = {0};
    enum status status = blog_read(call->batch, call->arena, fields->blog_id, &blog);
    if (status != STATUS_OK)
        return status;
    if (blog.hidden && blog.author_id != access_asker(&call->access))
        return STATUS_BLOG_NOT_FOUND;
    answer_blog(call->answer, &blog);
    return STATUS_OK;
}
