/*
 * Blogs: diary entries, with their vote, and the reward for writing them.
 *
 * A blog that is private is hidden from everybody but its author; one that is dated in the future,
 * too, until that day begins in the service's time zone, unless its author publishes it at once.
 */
#ifndef MAPDIARY_MODEL_BLOG_H
#define MAPDIARY_MODEL_BLOG_H

#include "model/piece.h"
#include "model/vote.h"

/** What a blog's type and weather may be, ended by NULL. */
extern const char *const blog_types[];
extern const char *const blog_weathers[];

/* Zoom levels count from 0, types of maps from 1; and what they are where nobody says. */
enum { BLOG_TYPES = 9, BLOG_ZOOM_MOST = 21, BLOG_MAP_TYPES = 3 };
#define BLOG_ZOOM_DEFAULT "14"
#define BLOG_MAP_TYPE_DEFAULT "1"

/* What a client writes. */
struct blog_fields {
    int64_t blog_id; /* not for a new one */
    const char *type;
    struct place place;
    const char *title;
    const char *content;
    struct date date;
    const char *weather;
    int64_t reply_blog_id; /* 0: none, here and in struct blog */
    int64_t zoom_level;
    int64_t map_type;
    const char *user_category; /* NULL: none, here and in struct blog */
    const char *visibility;    /* NULL: public where it is new, else unchanged */
    int64_t base_version;      /* as that of struct album_fields */
    const char *publish;       /* "now": others see it before its date; else NULL */
};

/* What an administrator changes, in words; NULL leaves what is there. */
struct blog_change {
    const char *type;
    struct place place; /* each of its two by itself */
    const char *title;
    const char *content;
    const char *date;
    const char *weather;
    const char *reply_blog_id; /* "0": none */
    const char *zoom_level;
    const char *map_type;
    const char *user_category; /* "": none */
    const char *visibility;
    int64_t base_version;
};

/* What a client reads. */
struct blog {
    const char *author_name;
    const char *author_icon;
    int64_t score;
    struct blog_fields fields;
    struct vote vote;
};

/* How much is credited for a blog, and for how many of a user's blogs a day. */
struct reward_rule {
    int64_t per_blog;
    int64_t daily_limit;
};

/* What became of a new blog. */
struct blog_posted {
    int64_t blog_id;
    int64_t reward; /* that was credited, which may be 0 */
};

#endif
