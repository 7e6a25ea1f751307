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

/** The part that is asked for, whose entries are streamed. STATUS_PARAMETER_INVALID. */
enum status entries_begin(struct call *call, const struct paging *paging,
                          struct entry_page *page) MUST_CHECK;

/** When they were read: what to answer as `next`, or NULL. */
const char *entries_next(const struct call *call, const struct entry_page *page);

#endif
