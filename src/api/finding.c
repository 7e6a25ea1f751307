/*
 * Finding pieces of any kind: near a place, on a map, by words, the newest blogs, a diary.
 */
#include <stdlib.h>
#include <string.h>

#include "api/finding.h"

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

enum status handle_get_diary(struct call *call)
{
    const struct diary_fields *fields = call->input;
    struct days days = {0};
    struct found found = {0};
    struct finding_page page;
    struct finder finder = finder_of(call, &found);
    finder.user_id = fields->user_id;
    if (fields->from != NULL)
        (void)date_from_text(fields->from, &days.first);
    if (fields->to != NULL)
        (void)date_from_text(fields->to, &days.last);
    enum status status = begin_page(call, &fields->paging, &finding_latest, &page);
    if (status == STATUS_OK)
        status = finding_diary(&finder, &days, &page);
    if (status == STATUS_OK)
        show(call, &finder, NULL);
    return status;
}
