/*
 * The published lists of entries: whole, or in pages where limit or after asks for one.
 */
#ifndef MAPDIARY_API_ENTRIES_H
#define MAPDIARY_API_ENTRIES_H

#include "api/paging.h"
#include "store/entry.h"

/* The specs for a struct paging of an input struct. */
/* clang-format off */
#define ENTRY_PAGING_PARAMS(type, paging)                                                    \
    {"limit", {VALUE_INTEGER, RANGE(1, 500)}, .offset = offsetof(type, paging.limit),        \
     .optional = true},                                                                      \
    {"after", {VALUE_LINE, LINE_RANGE}, .offset = offsetof(type, paging.after), .optional = true}
/* clang-format on */

struct entry_reading {
    int64_t id; /* of the user or the category whose entries are listed */
    struct paging paging;
};

/* Streams a list, or a page of it, to the page's sink. */
typedef enum status entries_function(struct db_batch *batch, int64_t id,
                                     const struct session_claim *reader, struct entry_page *page);

/** Answers a struct entry_reading with the entries of that list, and with `next`, as a struct
 * page_shown. STATUS_PARAMETER_INVALID. */
enum status entries_answer(struct call *call, entries_function *list) MUST_CHECK;

#endif
