/*
 * What the operations that find pieces take and answer, in tables.
 */
#include <string.h>

#include "api/finding.h"
#include "api/shapes.h"

/* What they take ------------------------------------------------------------------------------- */

static bool is_day(const char *text)
{
    struct date date;
    return strlen(text) == strlen("2026-02-03") && date_from_text(text, &date);
}

static const struct value_form day_form = {
    .what = "a date such as 2026-02-03", .fits = is_day, .format = "date"};

/* clang-format off */
#define KIND(of) {"kind", {VALUE_CHOICE, .words = subject_kinds}, .offset = offsetof(of, filter.kind), .optional = true}
#define TYPE(of, field) {"type", {VALUE_CHOICE, .words = blog_types}, .offset = offsetof(of, field), .optional = true}
#define FILTER(of)                                                                           \
    KIND(of),                                                                                \
    {"category", {VALUE_INTEGER, RANGE(1, ALBUM_CATEGORIES)},                                \
     .offset = offsetof(of, filter.category), .optional = true},                             \
    TYPE(of, filter.type)
#define LATITUDE(name, of, field) {name, {VALUE_COORDINATE, LATITUDE_RANGE}, .offset = offsetof(of, field)}
#define LONGITUDE(name, of, field) {name, {VALUE_COORDINATE, LONGITUDE_RANGE}, .offset = offsetof(of, field)}

const struct param_spec nearby_params[] = {
    LATITUDE("lat", struct nearby_fields, place.lat),
    LONGITUDE("lng", struct nearby_fields, place.lng),
    {"radius", {VALUE_INTEGER, RANGE(1, FINDING_RADIUS_MOST)},
     .offset = offsetof(struct nearby_fields, radius), .fallback = FINDING_RADIUS_DEFAULT},
    FILTER(struct nearby_fields),
    PAGING_PARAMS(struct nearby_fields, paging),
    PARAMS_END,
};
const struct param_spec map_params[] = {
    LONGITUDE("west", struct map_fields, box.west),
    LATITUDE("south", struct map_fields, box.south),
    LONGITUDE("east", struct map_fields, box.east),
    LATITUDE("north", struct map_fields, box.north),
    {"zoomLevel", {VALUE_INTEGER, RANGE(0, FINDING_ZOOM_MOST)},
     .offset = offsetof(struct map_fields, box.zoom_level)},
    FILTER(struct map_fields),
    PARAMS_END,
};
const struct param_spec search_params[] = {
    {"q", {VALUE_TEXT, RANGE(1, FINDING_QUERY_MOST)}, .offset = offsetof(struct search_fields, query)},
    KIND(struct search_fields),
    {"lat", {VALUE_COORDINATE, LATITUDE_RANGE}, .offset = offsetof(struct search_fields, place.lat),
     .optional = true},
    {"lng", {VALUE_COORDINATE, LONGITUDE_RANGE}, .offset = offsetof(struct search_fields, place.lng),
     .optional = true},
    PAGING_PARAMS(struct search_fields, paging),
    PARAMS_END,
};
const struct param_spec blog_list_params[] = {
    {"userID", {VALUE_INTEGER, ID_RANGE}, .offset = offsetof(struct blogs_fields, user_id), .optional = true},
    TYPE(struct blogs_fields, type),
    PAGING_PARAMS(struct blogs_fields, paging),
    PARAMS_END,
};
#define DAY(name, field) {name, {VALUE_FORM, .form = &day_form}, .offset = offsetof(struct diary_fields, field), .optional = true}
const struct param_spec diary_params[] = {
    {"userID", {VALUE_INTEGER, ID_RANGE}, .offset = offsetof(struct diary_fields, user_id)},
    DAY("from", from), DAY("to", to),
    PAGING_PARAMS(struct diary_fields, paging),
    PARAMS_END,
};
/* clang-format on */

/* What they answer ----------------------------------------------------------------------------- */

#define GIVEN(field) offsetof(struct listed_piece, field)

static const struct field listed_shape[] = {
    {ROW("kind", TEXT, GIVEN(kind))},
    {ROW("albumID", ID, GIVEN(ids[SUBJECT_ALBUM])), .optional = true},
    {ROW("POIID", ID, GIVEN(ids[SUBJECT_POI])), .optional = true},
    {ROW("blogID", ID, GIVEN(ids[SUBJECT_BLOG])), .optional = true},
    {ROW("title", TEXT, GIVEN(title))},
    {ROW("summary", TEXT, GIVEN(summary)), .optional = true},
    {ROW("category", INTEGER, GIVEN(category)), .optional = true},
    {ROW("type", TEXT, GIVEN(type)), .optional = true},
    {ROW("Location", OBJECT, GIVEN(place)), .shape = place_shape},
    {ROW("thumbnail", TEXT, GIVEN(thumbnail)), .optional = true},
    {ROW("ownerID", ID, GIVEN(owner_id))},
    {ROW("ownerName", TEXT, GIVEN(owner_name))},
    {ROW("ownerIcon", TEXT, GIVEN(owner_icon))},
    {ROW("updateDate", OBJECT, GIVEN(updated)), .optional = true, .shape = date_shape},
    {ROW("postDate", OBJECT, GIVEN(posted)), .optional = true, .shape = date_shape},
    {ROW("date", OBJECT, GIVEN(day)), .optional = true, .shape = date_shape},
    {ROW("publicFrom", OBJECT, GIVEN(public_from)), .optional = true, .shape = date_shape},
    {ROW("score", INTEGER, GIVEN(score))},
    {ROW("distance", DECIMAL, GIVEN(distance)), .optional = true},
    SHAPE_END,
};

#define CLUSTER(field) offsetof(struct cluster, field)

static const struct field cluster_shape[] = {
    {ROW("Location", OBJECT, CLUSTER(place)), .shape = place_shape},
    {ROW("count", INTEGER, CLUSTER(count))},
    {ROW("albumCount", INTEGER, CLUSTER(counts[SUBJECT_ALBUM]))},
    {ROW("POICount", INTEGER, CLUSTER(counts[SUBJECT_POI]))},
    {ROW("blogCount", INTEGER, CLUSTER(counts[SUBJECT_BLOG]))},
    {ROW("west", DECIMAL, CLUSTER(west))},
    {ROW("south", DECIMAL, CLUSTER(south))},
    {ROW("east", DECIMAL, CLUSTER(east))},
    {ROW("north", DECIMAL, CLUSTER(north))},
    SHAPE_END,
};

#define SHOWN(field) offsetof(struct pieces_shown, field)
/* clang-format off */
#define PLACE_LIST                                                                           \
    {ROW("placeList", LIST, SHOWN(pieces)), .shape = listed_shape, .item = "place",           \
     .size = sizeof(struct listed_piece)}

const struct field place_list_shape[] = {
    PLACE_LIST,
    {ROW("next", TEXT, SHOWN(next)), .optional = true},
    SHAPE_END,
};
const struct field diary_shape[] = {
    {ROW("placeList", LIST, SHOWN(pieces)), .shape = listed_shape, .item = "place",
     .size = sizeof(struct listed_piece), .has_path = true},
    {ROW("next", TEXT, SHOWN(next)), .optional = true},
    SHAPE_END,
};
const struct field search_shape[] = {
    PLACE_LIST,
    {ROW("next", TEXT, SHOWN(next)), .optional = true},
    {ROW("suggestion", TEXT, SHOWN(suggestion)), .optional = true},
    SHAPE_END,
};
const struct field map_shape[] = {
    PLACE_LIST,
    {ROW("clusterList", LIST, SHOWN(clusters)), .shape = cluster_shape, .item = "cluster",
     .size = sizeof(struct cluster)},
    SHAPE_END,
};
const struct field place_feed_shape[] = {
    {ROW("id", TEXT, SHOWN(feed.id))},
    {ROW("title", TEXT, SHOWN(feed.title))},
    {ROW("updated", TEXT, SHOWN(feed.updated))},
    {ROW("link", LINK, SHOWN(feed.self)), .item = "self"},
    {ROW("link", LINK, SHOWN(feed.next)), .optional = true, .item = "next"},
    {ROW("link", LINK, SHOWN(feed.alternate)), .item = "alternate"},
    {ROW("entries", LIST, SHOWN(pieces)), .shape = feed_entry_shape, .item = "entry",
     .size = sizeof(struct listed_piece)},
    SHAPE_END,
};
/* clang-format on */
