/*
 * Parts of answers that several operations share.
 */
#ifndef MAPDIARY_OPS_ANSWER_H
#define MAPDIARY_OPS_ANSWER_H

#include "store/comment.h"
#include "store/piece.h"
#include "web/operation.h"

/* The order of the elements is the interface's. */
void answer_location(struct buffer *out, const char *lat, const char *lng);
void answer_date(struct buffer *out, const char *name, struct date date);
/** category, Location, ownerName, ownerIcon, updateDate, score */
void answer_piece(struct buffer *out, const struct piece *piece);
/** Nothing where there are none. The names are of a photo's identifier, NULL to leave it out, and
 * its address. */
void answer_photos(struct buffer *out, const struct photos *photos, const char *id_name,
                   const char *address_name);
/** Nothing where there are none. */
void answer_comments(struct buffer *out, const struct comments *comments);

/* A list that is written item by item, while its rows come: constant memory, whatever its length.
 */
struct answer_list {
    struct call *call;
    const char *item; /* "album" */
    const char *id;   /* the names of an item's two elements */
    const char *label;
    size_t count;
};

/** Takes a row of (identifier, label): a db_row_function for a struct answer_list. */
enum status answer_list_row(void *list, struct db_row *row) MUST_CHECK;

#endif
