/*
 * Lists of pieces, which are given away item by item, as their rows come: constant memory, whatever
 * the length.
 */
#ifndef MAPDIARY_STORE_ENTRY_H
#define MAPDIARY_STORE_ENTRY_H

#include "db/batch.h"
#include "model/entry.h"

/* Who takes the items. Another status than STATUS_OK ends the list. */
struct entry_sink {
    enum status (*take)(void *context, const void *entry);
    void *context;
};

/* A list by identifier, or a page of it. */
struct entry_page {
    int64_t last;  /* begins behind this identifier, and becomes that of the last one */
    int64_t limit; /* 0: all there are */
    struct entry_sink sink;
    int64_t count;
    bool has_more;
};

/** Gives a row of (identifier, title) to a struct entry_page: a db_row_function. */
enum status entry_take_row(void *page, struct db_row *row) MUST_CHECK;

#endif
