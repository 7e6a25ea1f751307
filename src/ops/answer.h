/*
 * Parts of answers that several operations share.
 */
#ifndef MAPDIARY_OPS_ANSWER_H
#define MAPDIARY_OPS_ANSWER_H

#include "store/comment.h"
#include "store/piece.h"
#include "web/operation.h"

/* The order of the elements is the interface's. */
void answer_location(struct xml_element *parent, const char *lat, const char *lng);
void answer_date(struct xml_element *parent, const char *name, struct date date);
/** category, Location, ownerName, ownerIcon, updateDate, score */
void answer_piece(struct xml_element *parent, const struct piece *piece);
/** Nothing where there are none. The names are of a photo's identifier, NULL to leave it out, and
 * its address. */
void answer_photos(struct xml_element *parent, const struct photos *photos, const char *id_name,
                   const char *address_name);
/** Nothing where there are none. */
void answer_comments(struct xml_element *parent, const struct comments *comments);

/* A list that is written item by item, while its rows come: constant memory, whatever its length.
 */
struct answer_list {
    struct call *call;
    const char *name;
    const char *item; /* "album" */
    const char *id;   /* the names of an item's two elements */
    const char *label;
    size_t count;
};

/** Writes the document up to the list's first item. */
void answer_list_begin(const struct answer_list *list);
/** Takes a row of (identifier, label): a db_row_function for a struct answer_list. */
enum status answer_list_row(void *list, struct db_row *row) MUST_CHECK;
void answer_list_end(const struct answer_list *list);

#endif
