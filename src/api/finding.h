/*
 * What the operations that find pieces take and answer.
 */
#ifndef MAPDIARY_API_FINDING_H
#define MAPDIARY_API_FINDING_H

#include "api/feed.h"
#include "api/paging.h"
#include "store/finding.h"

/* Which pieces; each is NULL or 0 where it was not given. */
struct filter {
    const char *kind;
    int64_t category;
    const char *type;
};

struct nearby_fields {
    struct place place;
    int64_t radius;
    struct filter filter;
    struct paging paging;
};

struct map_fields {
    struct map_box box;
    struct filter filter;
};

struct search_fields {
    const char *query;
    struct place place;
    struct filter filter;
    struct paging paging;
};

struct blogs_fields {
    int64_t user_id;
    const char *type;
    struct paging paging;
};

struct diary_fields {
    int64_t user_id;
    const char *from, *to; /* NULL: no bound */
    struct paging paging;
};

struct pieces_shown {
    struct listed_pieces pieces;
    struct clusters clusters;
    const char *next;       /* NULL: it is the last page */
    const char *suggestion; /* of a search; NULL: something is found, or nothing is near */
    struct feed feed;       /* for Atom alone */
};
/* Of these. */
extern const struct param_spec nearby_params[], map_params[], search_params[], blog_list_params[],
    diary_params[];
extern const struct field place_list_shape[], diary_shape[], map_shape[], search_shape[],
    place_feed_shape[];

handler_function handle_get_nearby, handle_get_map, handle_search, handle_get_blog_list,
    handle_get_diary;

#endif
