/*
 * The answers of finding: pieces of any kind in lists, and clusters of them on a map.
 */
#ifndef MAPDIARY_MODEL_FINDING_H
#define MAPDIARY_MODEL_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/album.h"
#include "model/blog.h"
#include "model/piece.h"
#include "model/poi.h"
#include "model/subject.h"

/* Metres around a place. */
enum { FINDING_RADIUS_MOST = 100000 };
#define FINDING_RADIUS_DEFAULT "5000"
/* Characters of what is searched for. */
enum { FINDING_QUERY_MOST = 100 };
/* As a map shows them. */
enum { FINDING_ZOOM_MOST = 21 };

/* The categories of albums and points of interest and the types of blogs, one after the other, as
 * the schema counts them (slot_name()). */
enum {
    SLOT_ALBUMS = 1,
    SLOT_POIS = SLOT_ALBUMS + ALBUM_CATEGORIES,
    SLOT_BLOGS = SLOT_POIS + POI_CATEGORIES,
    SLOT_LAST = SLOT_BLOGS + BLOG_TYPES - 1
};
struct slots {
    int64_t first, last;
};

/* A piece as lists show it. */
struct listed_piece {
    enum subject subject;
    const char *kind;           /* subject_kinds[subject] */
    int64_t ids[SUBJECT_COUNT]; /* but for one they are 0 */
    const char *title;
    const char *summary; /* the first words of a blog or an album; NULL: none */
    int64_t category;    /* a blog has none: 0 */
    const char *type;    /* a blog's alone; else NULL */
    struct place place;
    const char *thumbnail; /* NULL: none */
    int64_t owner_id;
    const char *owner_name;
    const char *owner_icon;
    struct date updated;     /* all zero of a blog, */
    struct date posted;      /* and of all others */
    struct date day;         /* of getDiary alone */
    struct date public_from; /* of a blog, to its author: others see it from this day on */
    int64_t score;
    const char *distance; /* in metres; NULL: it is not known */
    int64_t changed;      /* seconds since the epoch: when its owner last changed it, */
    int64_t published;    /* and the beginning of the day from which others see it */
    /* As Atom has it. */
    const char *urn, *changed_text, *published_text, *address, *thumbnail_type, *point;
};

struct listed_pieces {
    const struct listed_piece *list;
    size_t count;
};

/* Pieces that are close, two at least. */
struct cluster {
    struct place place;
    int64_t count, counts[SUBJECT_COUNT]; /* of all kinds, of each */
    const char *west, *south, *east, *north;
};

struct clusters {
    const struct cluster *list;
    size_t count;
};

/* The position of a piece in a list, by which the next page begins behind it. Its bytes are given
 * away (api/paging.h), so it has no padding. */
struct finding_position {
    int64_t class; /* of the match, the best first: search alone */
    double far; /* the distance in metres; of a search without a place, less for a higher score */
    int64_t subject;
    int64_t id;
    int64_t age;      /* less for a newer piece: search; of an album: getDiary, in microseconds */
    struct date date; /* getBlogList and getDiary alone */
    int unused;
    int64_t before; /* how many pieces the list has up to this one */
};
_Static_assert(sizeof(struct finding_position) ==
                   6 * sizeof(int64_t) + sizeof(struct date) + sizeof(int),
               "a position has no padding");

#endif
