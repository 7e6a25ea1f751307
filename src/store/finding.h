/*
 * Lists of pieces of any kind, for a reader, NULL for nobody: what is near, on a map, found by
 * words, the newest. How they are found is said in the schema (nearest_pieces() and so on).
 */
#ifndef MAPDIARY_STORE_FINDING_H
#define MAPDIARY_STORE_FINDING_H

#include "base/box.h"
#include "db/batch.h"
#include "model/finding.h"
#include "store/session.h"

enum { START_MOST = 500 };

/* A page: what is behind the position, at most so many. */
struct finding_page {
    struct finding_position after;
    int64_t limit;
};

/* What was found. */
struct found {
    struct listed_pieces pieces;
    struct clusters clusters;      /* on a map alone */
    struct finding_position *ends; /* of each piece */
    const char *site;              /* the identifier of the site, for a feed */
    const char *user_name;         /* of the finder's user, likewise */
    bool has_more;
};

/* Who finds, and where it goes: all of it lives as long as the batch and its arena. */
struct finder {
    struct db_batch *batch;
    struct arena *arena;
    const struct session_claim *reader;
    bool is_feed;
    int64_t user_id; /* whose pieces are found; 0: those of all */
    struct found *found;
};

struct nearby {
    struct place place;
    int64_t radius;
    struct slots slots;
};
enum status finding_nearby(const struct finder *finder, const struct nearby *nearby,
                           const struct finding_page *page) MUST_CHECK;

struct map_box {
    const char *west, *south, *east, *north;
    int64_t zoom_level;
    struct slots slots;
};
enum status finding_on_map(const struct finder *finder, const struct map_box *box) MUST_CHECK;

/** So near that pieces are shown one by one, and no wider than a screen of 9,300 pixels: 8K has
 * 7,680. */
bool finding_is_street(const struct map_box *box);

/** What finding_on_map() finds there, in less time. Where it is too much to be shown one by one
 * nothing is found: ask that. */
enum status finding_on_street(const struct finder *finder, const struct map_box *box,
                              bool *is_too_much) MUST_CHECK;

struct words {
    const char *text;
    enum subject first, last;
    struct place place; /* of NULL: none */
};
enum status finding_by_words(const struct finder *finder, const struct words *words,
                             const struct finding_page *page) MUST_CHECK;

/** The words of titles that are nearest to these and find something; NULL: there are none. The text
 * lives as long as the batch. */
enum status finding_suggestion(const struct finder *finder, const struct words *words,
                               const char **suggestion) MUST_CHECK;

/** The latest blogs, of a type or of all (NULL). STATUS_USER_NOT_FOUND. */
enum status finding_blogs(const struct finder *finder, const char *type,
                          const struct finding_page *page) MUST_CHECK;

/* Both days are included; all zero: no bound. */
struct days {
    struct date first, last;
};
/** The blogs and albums of the finder's user with their days, the latest first.
 * STATUS_USER_NOT_FOUND. */
enum status finding_diary(const struct finder *finder, const struct days *days,
                          const struct finding_page *page) MUST_CHECK;

/** The box of which a map first shows the pieces: one of most of the newest public albums and blogs
 * (START_MOST), the world if there are none. */
enum status finding_start(struct db_batch *batch, struct arena *arena,
                          struct box *start) MUST_CHECK;

/** Positions before all others. */
extern const struct finding_position finding_first, finding_latest;

/** The day of the database, in the zone of the service. */
enum status finding_today(struct db_batch *batch, struct date *today) MUST_CHECK;

#endif
