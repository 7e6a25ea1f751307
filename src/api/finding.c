/*
 * Finding pieces of any kind: near a place, on a map, by words, the newest blogs.
 */
#include <stdlib.h>
#include <string.h>

#include "api/finding.h"
#include "api/shapes.h"

/* What they take ------------------------------------------------------------------------------- */

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

/* Which pieces --------------------------------------------------------------------------------- */

/* The kind; none is all of them. */
static enum subject subject_of(const char *kind)
{
    enum subject subject = SUBJECT_ALBUM;
    while (subject < SUBJECT_COUNT && (kind == NULL || strcmp(kind, subject_kinds[subject]) != 0))
        subject++;
    return subject;
}

static const struct kind_slots {
    struct slots all;
    bool has_categories;
} slots_of[SUBJECT_COUNT + 1] = {
    [SUBJECT_ALBUM] = {{SLOT_ALBUMS, SLOT_POIS - 1}, true},
    [SUBJECT_POI] = {{SLOT_POIS, SLOT_BLOGS - 1}, true},
    [SUBJECT_BLOG] = {{SLOT_BLOGS, SLOT_LAST}, false},
    [SUBJECT_COUNT] = {{SLOT_ALBUMS, SLOT_LAST}, false},
};

static int64_t type_number(const char *type)
{
    int64_t number = 0;
    while (strcmp(blog_types[number], type) != 0)
        number++;
    return number;
}

static enum status refuse(struct call *call, const char *name)
{
    call->refused = name;
    return STATUS_PARAMETER_INVALID;
}

/* A category is of albums or points of interest, a type of blogs. */
static enum status read_filter(struct call *call, const struct filter *filter, struct slots *slots)
{
    enum subject subject = subject_of(filter->kind);
    const struct kind_slots *of = &slots_of[subject];
    int64_t number = filter->category - 1;
    *slots = of->all;
    if (filter->category != 0 && !(of->has_categories && slots->first + number <= slots->last))
        return refuse(call, "category");
    if (filter->type != NULL && subject != SUBJECT_BLOG)
        return refuse(call, "type");
    if (filter->type != NULL)
        number = type_number(filter->type);
    if (filter->category != 0 || filter->type != NULL)
        slots->first = slots->last = slots->first + number;
    return STATUS_OK;
}

/* Pages ---------------------------------------------------------------------------------------- */

static enum status begin_page(struct call *call, const struct paging *paging,
                              const struct finding_position *first, struct finding_page *page)
{
    *page = (struct finding_page){.after = *first, .limit = paging->limit};
    return paging_begin(call, paging, &page->after, sizeof page->after);
}

static bool is_feed(const struct call *call)
{
    return call->document.format == &format_atom;
}

static struct finder finder_of(const struct call *call, struct found *found)
{
    return (struct finder){.batch = call->batch,
                           .arena = call->service->arena,
                           .reader = access_reader(&call->access),
                           .is_feed = is_feed(call),
                           .found = found};
}

static void show_feed(const struct call *call, const struct finder *finder, const char *contents)
{
    const struct found *found = finder->found;
    struct pieces_shown *shown = call->output;
    size_t count = found->pieces.count;
    const struct feed_source source = {
        found->site, finder->user_id != 0 ? found->user_name : contents, finder->user_id};
    struct listed_piece *entries = arena_take_array(call->service->arena, count, sizeof *entries);
    if (count > 0)
        memcpy(entries, found->pieces.list, count * sizeof *entries);
    shown->feed = feed_make(call, &source, entries, count, shown->next);
    shown->pieces.list = entries;
}

/* The contents are for the title of a feed; NULL: a user's pieces, or all. */
static void show(struct call *call, const struct finder *finder, const char *contents)
{
    const struct found *found = finder->found;
    struct pieces_shown *shown = call->output;
    size_t count = found->pieces.count;
    shown->pieces = found->pieces;
    shown->clusters = found->clusters;
    if (found->has_more)
        shown->next = paging_next(call, &found->ends[count - 1], sizeof *found->ends);
    if (is_feed(call))
        show_feed(call, finder, contents);
}

/* What they do --------------------------------------------------------------------------------- */

enum status handle_get_nearby(struct call *call)
{
    const struct nearby_fields *fields = call->input;
    struct nearby nearby = {.place = fields->place, .radius = fields->radius};
    struct found found = {0};
    struct finding_page page;
    struct finder finder = finder_of(call, &found);
    enum status status = read_filter(call, &fields->filter, &nearby.slots);
    if (status == STATUS_OK)
        status = begin_page(call, &fields->paging, &finding_first, &page);
    if (status == STATUS_OK)
        status = finding_nearby(&finder, &nearby, &page);
    if (status == STATUS_OK)
        show(call, &finder,
             arena_format(finder.arena, "%s, %s", nearby.place.lat, nearby.place.lng));
    return status;
}

/* Who asks is looked up anew beside what is asked anew. */
static void look_again(struct call *call)
{
    db_batch_reset(call->batch);
    access_add(&call->access, call->batch);
}

static enum status find_on_map(struct call *call, const struct finder *finder,
                               const struct map_box *box)
{
    bool is_too_much = true;
    if (finding_is_street(box)) {
        enum status status = finding_on_street(finder, box, &is_too_much);
        if (!is_too_much)
            return status;
        look_again(call);
    }
    return finding_on_map(finder, box);
}

enum status handle_get_map(struct call *call)
{
    const struct map_fields *fields = call->input;
    struct map_box box = fields->box;
    struct found found = {0};
    struct finder finder = finder_of(call, &found);
    enum status status = read_filter(call, &fields->filter, &box.slots);
    if (status != STATUS_OK)
        return status;
    if (strtod(box.south, NULL) > strtod(box.north, NULL))
        return refuse(call, "south");
    status = find_on_map(call, &finder, &box);
    if (status == STATUS_OK)
        show(call, &finder, NULL);
    return status;
}

/* Half a place is none. */
static enum status check_place(struct call *call, const struct place *place)
{
    if ((place->lat == NULL) == (place->lng == NULL))
        return STATUS_OK;
    call->refused = place->lat == NULL ? "lat" : "lng";
    return STATUS_PARAMETER_MISSING;
}

static bool has_suggestions(const struct call *call)
{
    const struct format *format = call->document.format;
    return format == &format_xml || format == &format_json;
}

static enum status suggest(struct call *call, const struct finder *finder,
                           const struct words *words)
{
    struct pieces_shown *shown = call->output;
    look_again(call);
    return finding_suggestion(finder, words, &shown->suggestion);
}

enum status handle_search(struct call *call)
{
    const struct search_fields *fields = call->input;
    enum subject subject = subject_of(fields->filter.kind);
    bool is_any = subject == SUBJECT_COUNT;
    const struct words words = {.text = fields->query,
                                .first = is_any ? SUBJECT_ALBUM : subject,
                                .last = is_any ? SUBJECT_BLOG : subject,
                                .place = fields->place};
    struct found found = {0};
    struct finding_page page = {.limit = 0};
    struct finder finder = finder_of(call, &found);
    enum status status = check_place(call, &fields->place);
    if (status == STATUS_OK)
        status = begin_page(call, &fields->paging, &finding_first, &page);
    if (status == STATUS_OK)
        status = finding_by_words(&finder, &words, &page);
    if (status == STATUS_OK)
        show(call, &finder, words.text);
    if (status == STATUS_OK && found.pieces.count == 0 && page.after.before == 0 &&
        has_suggestions(call))
        status = suggest(call, &finder, &words);
    return status;
}

enum status handle_get_blog_list(struct call *call)
{
    const struct blogs_fields *fields = call->input;
    struct found found = {0};
    struct finding_page page;
    struct finder finder = finder_of(call, &found);
    finder.user_id = fields->user_id;
    enum status status = begin_page(call, &fields->paging, &finding_latest, &page);
    if (status == STATUS_OK)
        status = finding_blogs(&finder, fields->type, &page);
    if (status == STATUS_OK)
        show(call, &finder, NULL);
    return status;
}
