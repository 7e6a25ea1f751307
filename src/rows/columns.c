#include "rows/columns.h"

#include "auth/password.h"
#include "model/album.h"
#include "model/blog.h"
#include "model/poi.h"

static const char *const booleans[] = {"false", "true", NULL};
static const struct value_form hash = {
    .what =
        "a hash of a password as libsodium writes it, $argon2id$..., that does not take too long",
    .fits = password_is_hash};

#define REQUIRED .required = true
#define MEANS(text) .meaning = (text)
#define LINE(column) .name = (column), .type = {VALUE_LINE, LINE_RANGE}
#define NOTE(column) .name = (column), .type = {VALUE_TEXT, NOTE_RANGE}
#define BODY(column) .name = (column), .type = {VALUE_TEXT, BODY_RANGE}
#define INTEGER(column, least, most) .name = (column), .type = {VALUE_INTEGER, RANGE(least, most)}
/* Whoever has no column of their own is the --owner. */
#define USER(column) \
    LINE(column), REQUIRED, MEANS("the user's email address; if absent, the --owner")
#define THING(column) LINE(column), MEANS("its id in the same source, or #7")
#define OF_POINT MEANS("in GeoJSON, from the geometry")
#define PLACE                                                                          \
    {.name = "lat", .type = {VALUE_COORDINATE, LATITUDE_RANGE}, REQUIRED, OF_POINT},   \
    {                                                                                  \
        .name = "lng", .type = {VALUE_COORDINATE, LONGITUDE_RANGE}, REQUIRED, OF_POINT \
    }
#define VISIBILITY                                        \
    {.name = "visibility",                                \
     .type = {VALUE_CHOICE, .words = piece_visibilities}, \
     MEANS("of a new piece; if absent, public")}
#define SCORE \
    {INTEGER("score", SCORE_LEAST, SCORE_MOST), MEANS("if absent, 0, or the score so far")}

const struct parameter import_user_columns[] = {
    {.name = "email",
     .type = {.kind = VALUE_EMAIL},
     REQUIRED,
     MEANS("the email address for logins")},
    {LINE("name"), REQUIRED, MEANS("the name that others see")},
    {NOTE("icon"), MEANS("address of a picture")},
    {.name = "passwordHash",
     .type = {VALUE_FORM, .form = &hash},
     MEANS("if absent, user passwd has to come first")},
    PARAMETERS_END,
};

const struct parameter import_poi_columns[] = {
    {LINE("name"), REQUIRED},
    {INTEGER("category", 1, POI_CATEGORIES), REQUIRED},
    PLACE,
    {USER("owner")},
    SCORE,
    PARAMETERS_END,
};

const struct parameter import_album_columns[] = {
    {LINE("title"), REQUIRED},
    {INTEGER("category", 1, ALBUM_CATEGORIES), REQUIRED},
    PLACE,
    {USER("owner")},
    SCORE,
    VISIBILITY,
    PARAMETERS_END,
};

const struct parameter import_blog_columns[] = {
    {USER("author")},
    {.name = "type", .type = {VALUE_CHOICE, .words = blog_types}, REQUIRED},
    PLACE,
    {LINE("title"), REQUIRED},
    {BODY("content"), REQUIRED},
    {.name = "date", .type = {.kind = VALUE_DATE}, REQUIRED},
    {.name = "weather", .type = {VALUE_CHOICE, .words = blog_weathers}, REQUIRED},
    {LINE("reply"), MEANS("the quoted blog: its id in the same source, or #7")},
    {LINE("replySource"), MEANS("the source of that blog, if different")},
    {INTEGER("zoomLevel", 0, BLOG_ZOOM_MOST), MEANS("if absent, " BLOG_ZOOM_DEFAULT)},
    {INTEGER("mapType", 1, BLOG_MAP_TYPES), MEANS("if absent, " BLOG_MAP_TYPE_DEFAULT)},
    {LINE("userCategory"), MEANS("a label of the author's own")},
    SCORE,
    VISIBILITY,
    PARAMETERS_END,
};

const struct parameter import_photo_columns[] = {
    {LINE("album"), MEANS("its id in the same source, or #7; either this or poi")},
    {THING("poi")},
    {.name = "address",
     .type = {VALUE_TEXT, RANGE(1, TEXT_NOTE_MOST)},
     MEANS("of the thumbnail; of a place's photo absolute, with http: or https:; either this or "
           "file")},
    {NOTE("description")},
    {.name = "cover",
     .type = {VALUE_CHOICE, .words = booleans},
     MEANS("true if the photo stands for its album")},
    {.name = "file",
     .type = {VALUE_LINE, NOTE_RANGE},
     MEANS(
         "a picture, from --folder on; an uploaded photo stays unchanged, except the description")},
    PARAMETERS_END,
};

const struct parameter import_comment_columns[] = {
    {LINE("album"), MEANS("its id in the same source, or #7; either this, poi or blog")},
    {THING("poi")},
    {THING("blog")},
    {USER("user")},
    {BODY("comment"), REQUIRED},
    {.name = "time", .type = {.kind = VALUE_TIME}, MEANS("if absent, now")},
    {BODY("reply"), MEANS("the answer of the piece's owner")},
    {.name = "replyTime", .type = {.kind = VALUE_TIME}, MEANS("if absent, now")},
    PARAMETERS_END,
};
