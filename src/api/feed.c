#include "api/feed.h"

#include <string.h>

#include "api/paging.h"
#include "auth/signature.h"
#include "base/urn.h"
#include "media/publication.h"

#define GIVEN(field) offsetof(struct listed_piece, field)

static const struct field author_shape[] = {
    {ROW("name", TEXT, GIVEN(owner_name))},
    SHAPE_END,
};

static const struct field enclosure_shape[] = {
    {ROW("type", TEXT, GIVEN(thumbnail_type)), .optional = true},
    SHAPE_END,
};

const struct field feed_entry_shape[] = {
    {ROW("id", TEXT, GIVEN(urn))},
    {ROW("title", TEXT, GIVEN(title))},
    {ROW("updated", TEXT, GIVEN(changed_text))},
    {ROW("published", TEXT, GIVEN(published_text)), .optional = true},
    {ROW("author", OBJECT, 0), .shape = author_shape},
    {ROW("summary", TEXT, GIVEN(summary)), .optional = true},
    {ROW("link", LINK, GIVEN(address)), .item = "alternate"},
    {ROW("link", LINK, GIVEN(thumbnail)), .optional = true, .item = "enclosure",
     .shape = enclosure_shape},
    {ROW("georss:point", TEXT, GIVEN(point))},
    SHAPE_END,
};

static char *urn(const struct call *call, const char *site, const char *name)
{
    char *text = arena_take(call->service->arena, URN_SIZE);
    (void)urn_of_name(site, name, text);
    return text;
}

static const char *moment(const struct call *call, int64_t seconds)
{
    char *text = arena_take(call->service->arena, DATE_TEXT_SIZE);
    return date_moment_text(seconds, text);
}

/* Of a picture of this site; NULL of one elsewhere. */
static const char *media_type(const char *public_url, const char *address)
{
    size_t length = strlen(public_url);
    struct publication picture;
    bool is_ours = address != NULL && strncmp(address, public_url, length) == 0 &&
                   publication_parse(address + length, &picture);
    return is_ours ? picture_media_types[picture.format] : NULL;
}

static void complete(const struct call *call, const char *site, struct listed_piece *piece)
{
    struct arena *arena = call->service->arena;
    long long id = piece->ids[piece->subject];
    piece->urn = urn(call, site, arena_format(arena, "%s/%lld", piece->kind, id));
    piece->changed_text = moment(call, piece->changed);
    piece->published_text = piece->subject == SUBJECT_BLOG ? moment(call, piece->published) : NULL;
    piece->address =
        arena_format(arena, "%s#%s=%lld", call->service->config->public_url, piece->kind, id);
    piece->thumbnail_type = media_type(call->service->config->public_url, piece->thumbnail);
    piece->point = arena_format(arena, "%s %s", piece->place.lat, piece->place.lng);
}

/* Without what signs it, which is not good for long; another page where one is named. */
static const char *address_of(const struct call *call, const char *after)
{
    static const char *const of_this_request[] = {"key", "ts", "sig", NULL};
    static const char *const of_this_page[] = {"key", "ts", "sig", "after", NULL};
    const char *query =
        signature_canonical(call->form->parameters, call->form->count,
                            after != NULL ? of_this_page : of_this_request, call->service->arena);
    return arena_format(call->service->arena, "%s/API.php?%s%s%s", call->service->config->site,
                        query, after != NULL ? "&after=" : "", after != NULL ? after : "");
}

static const char *title_of(const struct call *call, const struct feed_source *source)
{
    const struct config *config = call->service->config;
    const char *site = *config->site_name != '\0' ? config->site_name : config->public_url;
    if (source->contents == NULL)
        return site;
    return arena_format(call->service->arena, "%s: %s", site, source->contents);
}

static const char *page_of(const struct call *call, const struct feed_source *source)
{
    const char *site = call->service->config->site;
    if (source->user_id == 0)
        return arena_format(call->service->arena, "%s/", site);
    return arena_format(call->service->arena, "%s/#user=%lld", site, (long long)source->user_id);
}

struct feed feed_make(const struct call *call, const struct feed_source *source,
                      struct listed_piece *pieces, size_t count, const char *next)
{
    int64_t changed = 0;
    for (size_t i = 0; i < count; i++) {
        complete(call, source->site, &pieces[i]);
        if (pieces[i].changed > changed)
            changed = pieces[i].changed;
    }
    return (struct feed){
        .id = urn(call, source->site, paging_list(call)),
        .title = title_of(call, source),
        .updated = moment(call, changed),
        .self = address_of(call, NULL),
        .next = next != NULL ? address_of(call, next) : NULL,
        .alternate = page_of(call, source),
    };
}
