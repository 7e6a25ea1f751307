#include "store/blog.h"
#include "ctl/change.h"
#include "ctl/groups.h"
#include "ctl/piece.h"

#define BLOG_PARAMETER ID_OPERAND("BLOG", "the blog's identifier")

/* Change ------------------------------------------------------------------------------------- */

enum {
    TYPE,
    LAT,
    LNG,
    TITLE,
    CONTENT,
    DATE,
    WEATHER,
    REPLY,
    ZOOM_LEVEL,
    MAP_TYPE,
    USER_CATEGORY,
    VISIBILITY,
    BASE_VERSION,
    CHANGED_BLOG
};

static const struct parameter update_parameters[] = {
    [TYPE] = {.name = "type",
              .type = {VALUE_CHOICE, .words = blog_types},
              .value = "TYPE",
              .meaning = "0_0 to 0_8, as in the interface"},
    [LAT] = {LATITUDE_PARAMETER},
    [LNG] = {LONGITUDE_PARAMETER},
    [TITLE] = {.name = "title",
               .type = {VALUE_LINE, LINE_RANGE},
               .value = "TEXT",
               .meaning = "the title"},
    [CONTENT] = {.name = "content",
                 .type = {VALUE_TEXT, BODY_RANGE},
                 .from_input = true,
                 .value = "TEXT",
                 .meaning = "the text; - reads the text from standard input"},
    [DATE] = {.name = "date",
              .type = {.kind = VALUE_DATE},
              .value = "DAY",
              .meaning = "the day of the blog, as 2026-02-03; until then only the author reads "
                         "the blog"},
    [WEATHER] = {.name = "weather",
                 .type = {VALUE_CHOICE, .words = blog_weathers},
                 .value = "WEATHER",
                 .meaning = "a word of the interface"},
    [REPLY] = {.name = "reply",
               .type = {VALUE_INTEGER, RANGE(0, INT64_MAX)},
               .value = "N",
               .meaning = "the identifier of the quoted blog; 0 for none"},
    [ZOOM_LEVEL] = {.name = "zoom-level",
                    .type = {VALUE_INTEGER, RANGE(0, BLOG_ZOOM_MOST)},
                    .value = "N",
                    .meaning = "zoom level of the map"},
    [MAP_TYPE] = {.name = "map-type",
                  .type = {VALUE_INTEGER, RANGE(1, BLOG_MAP_TYPES)},
                  .value = "N",
                  .meaning = "1 map, 2 satellite, 3 hybrid"},
    [USER_CATEGORY] = {.name = "user-category",
                       .type = {VALUE_LINE, RANGE(0, TEXT_LINE_MOST)},
                       .value = "TEXT",
                       .meaning = "the author's own label; '' for none"},
    [VISIBILITY] = {VISIBILITY_PARAMETER("")},
    [BASE_VERSION] = {BASE_VERSION_PARAMETER},
    [CHANGED_BLOG] = BLOG_PARAMETER,
    PARAMETERS_END,
};

static int update(struct invocation *run)
{
    const struct value *values = run->values;
    struct blog_change change = {
        .type = values[TYPE].text,
        .place = {.lat = values[LAT].text, .lng = values[LNG].text},
        .title = values[TITLE].text,
        .content = values[CONTENT].text,
        .date = values[DATE].text,
        .weather = values[WEATHER].text,
        .reply_blog_id = values[REPLY].text,
        .zoom_level = values[ZOOM_LEVEL].text,
        .map_type = values[MAP_TYPE].text,
        .user_category = values[USER_CATEGORY].text,
        .visibility = values[VISIBILITY].text,
        .base_version = values[BASE_VERSION].number,
    };
    int64_t blog_id = values[CHANGED_BLOG].number;
    if (!change_is_given(run))
        return EXIT_USAGE;
    enum status status = blog_edit(run->batch, blog_id, &change);
    if (status == STATUS_CHANGED_MEANWHILE)
        return piece_changed_meanwhile(SUBJECT_BLOG, blog_id, change.base_version);
    return command_end(status, "blog %lld%s", (long long)blog_id,
                       change.reply_blog_id != NULL ? ", or the blog that it quotes" : "");
}

/* Remove, show ------------------------------------------------------------------------------- */

enum { BLOG };

static const struct parameter blog_parameters[] = {
    [BLOG] = BLOG_PARAMETER,
    PARAMETERS_END,
};

static int remove_blog(struct invocation *run)
{
    int64_t blog_id = run->values[BLOG].number;
    return command_end(blog_remove(run->batch, blog_id), "blog %lld", (long long)blog_id);
}

static int show(struct invocation *run)
{
    return piece_show(run, SUBJECT_BLOG, run->values[BLOG].number);
}

/* List --------------------------------------------------------------------------------------- */

enum { USER, PART };

static const struct parameter list_parameters[] = {
    [USER] = {USER_OPTION("user", "only blogs of this author")},
    [PART] = PART_PARAMETERS,
    PARAMETERS_END,
};

static const char *const listed[] = {"blogID",    "authorID", "type",       "postDate",
                                     "blogTitle", "score",    "visibility", NULL};

static int list(struct invocation *run)
{
    const struct value *values = run->values;
    const struct list_part part = part_of(&values[PART]);
    struct output_rows rows = {run->out, listed};
    enum status status = blog_list(run->batch, values[USER].number, &part, output_row, &rows);
    return command_end(status, "blogs");
}

const struct command blog_commands[] = {
    {.name = "update",
     .summary = "change the given values, and leave the rest",
     .parameters = update_parameters,
     .run = update},
    {.name = "remove",
     .summary = "remove a blog with its vote and comments",
     .details = "Blogs that quote the removed blog stay, and so does the reward.",
     .parameters = blog_parameters,
     .destroys = "removes the blog with its vote and comments for good",
     .run = remove_blog},
    {.name = "show",
     .summary = "show a blog with its vote and comments, even a future or private blog",
     .parameters = blog_parameters,
     .shows = SHOWS_ONE,
     .run = show},
    {.name = "list",
     .summary = "list blogs, with future and private blogs",
     .parameters = list_parameters,
     .shows = SHOWS_LIST,
     .run = list},
    COMMANDS_END,
};
