#include "api/feed.h"

#include "api/paging.h"
#include "auth/signature.h"
#include "base/urn.h"

#define GIVEN(field) offsetof(struct listed_piece, field)

static const struct field author_shape[] = {
    {ROW("name", TEXT, GIVEN(owner_name))},
    SHAPE_END,
};

const struct field feed_entry_shape[] = {
    {ROW("id", TEXT, GIVEN(urn))},
    {ROW("title", TEXT, GIVEN(title))},
    {ROW("updated", TEXT, GIVEN(changed_text))},
    {ROW("published", TEXT, GIVEN(published_text)), .optional = true},
    {ROW("author", OBJECT, 0), .shape = author_shape},
    {ROW("link", LINK, GIVEN(address)), .item = "alternate"},
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

static void complete(const struct call *call, const char *site, struct listed_piece *piece)
{
    struct arena *arena = call->service->arena;
    long long id = piece->ids[piece->subject];
    piece->urn = urn(call, site, arena_format(arena, "%s/%lld", piece->kind, id));
    piece->changed_text = moment(call, piece->changed);
    piece->published_text = piece->subject == SUBJECT_BLOG ? moment(call, piece->published) : NULL;
    piece->address =
        arena_format(arena, "%s#%s=%lld", call->service->config->public_url, piece->kind, id);
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

struct feed feed_make(const struct call *call, const char *site, struct listed_piece *pieces,
                      size_t count, const char *next)
{
    int64_t changed = 0;
    for (size_t i = 0; i < count; i++) {
        complete(call, site, &pieces[i]);
        if (pieces[i].changed > changed)
            changed = pieces[i].changed;
    }
    const char *name = call->service->config->site_name;
    return (struct feed){
        .id = urn(call, site, paging_list(call)),
        .title = *name != '\0' ? name : call->service->config->public_url,
        .updated = moment(call, changed),
        .self = address_of(call, NULL),
        .next = next != NULL ? address_of(call, next) : NULL,
    };
}
