#include "ctl/import_columns.h"

static const char *const types[] = {"0_0", "0_1", "0_2", "0_3", "0_4",
                                    "0_5", "0_6", "0_7", "0_8", NULL};
static const char *const weathers[] = {"晴空萬里", "狂風暴雨", "陰雨綿綿", "雨過天晴",
                                       "烏雲滿天", "大雪數日", "有彩虹",   NULL};
static const char *const booleans[] = {"false", "true", NULL};

#define REQUIRED .required = true
#define LINE(column) .name = (column), .kind = VALUE_LINE, LINE_RANGE
#define NOTE(column) .name = (column), .kind = VALUE_TEXT, NOTE_RANGE
#define BODY(column) .name = (column), .kind = VALUE_TEXT, BODY_RANGE
#define INTEGER(column, least, most) .name = (column), .kind = VALUE_INTEGER, RANGE((least), (most))
#define PLACE                                            \
    {.name = "lat", .kind = VALUE_LATITUDE, REQUIRED},   \
    {                                                    \
        .name = "lng", .kind = VALUE_LONGITUDE, REQUIRED \
    }
#define SCORE                                  \
    {                                          \
        INTEGER("score", INT32_MIN, INT32_MAX) \
    }

const struct parameter import_user_columns[] = {
    {LINE("email"), REQUIRED}, {LINE("name"), REQUIRED}, {NOTE("icon")},
    {LINE("passwordHash")},    PARAMETERS_END,
};

const struct parameter import_poi_columns[] = {
    {LINE("name"), REQUIRED},
    {INTEGER("category", 1, 5), REQUIRED},
    PLACE,
    {LINE("owner"), REQUIRED},
    SCORE,
    PARAMETERS_END,
};

const struct parameter import_album_columns[] = {
    {LINE("title"), REQUIRED},
    {INTEGER("category", 1, 16), REQUIRED},
    PLACE,
    {LINE("owner"), REQUIRED},
    SCORE,
    PARAMETERS_END,
};

const struct parameter import_blog_columns[] = {
    {LINE("author"), REQUIRED},
    {.name = "type", .kind = VALUE_CHOICE, REQUIRED, .words = types},
    PLACE,
    {LINE("title"), REQUIRED},
    {BODY("content"), REQUIRED},
    {.name = "date", .kind = VALUE_DATE, REQUIRED},
    {.name = "weather", .kind = VALUE_CHOICE, REQUIRED, .words = weathers},
    {LINE("reply")},
    {INTEGER("zoomLevel", 0, 21)},
    {INTEGER("mapType", 1, 3)},
    {LINE("userCategory")},
    SCORE,
    PARAMETERS_END,
};

const struct parameter import_photo_columns[] = {
    {LINE("album")},
    {LINE("poi")},
    {.name = "address", .kind = VALUE_TEXT, RANGE(1, 2000), REQUIRED},
    {NOTE("description")},
    {.name = "cover", .kind = VALUE_CHOICE, .words = booleans},
    PARAMETERS_END,
};

const struct parameter import_comment_columns[] = {
    {LINE("album")},
    {LINE("poi")},
    {LINE("blog")},
    {LINE("user"), REQUIRED},
    {BODY("comment"), REQUIRED},
    {.name = "time", .kind = VALUE_TIME},
    {BODY("reply")},
    {.name = "replyTime", .kind = VALUE_TIME},
    PARAMETERS_END,
};

const struct parameter *const import_columns[IMPORT_KIND_COUNT] = {
    [IMPORT_USERS] = import_user_columns,   [IMPORT_POIS] = import_poi_columns,
    [IMPORT_ALBUMS] = import_album_columns, [IMPORT_BLOGS] = import_blog_columns,
    [IMPORT_PHOTOS] = import_photo_columns, [IMPORT_COMMENTS] = import_comment_columns,
};
