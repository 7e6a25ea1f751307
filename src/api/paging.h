/*
 * Lists in pages: a page ends with a text that says where it ended, `next`, by which the one after
 * it is asked for, as `after`.
 *
 * The text holds the position, and a MAC of it, the operation and its parameters: so it is good for
 * those alone, and what was cut off, changed or made up is refused. The key is the site's
 * (store/page_key.h). A position gives no right: whoever has one gets what they may read anyway.
 */
#ifndef MAPDIARY_API_PAGING_H
#define MAPDIARY_API_PAGING_H

#include "api/operation.h"

struct paging {
    int64_t limit;
    const char *after; /* NULL: the first page */
};

/* clang-format off */
/* The specs for a struct paging of an input struct. */
#define PAGING_PARAMS(type, paging)                                                          \
    {"limit", {VALUE_INTEGER, RANGE(1, 500)}, .offset = offsetof(type, paging.limit),        \
     .fallback = "50"},                                                                      \
    {"after", {VALUE_LINE, LINE_RANGE}, .offset = offsetof(type, paging.after), .optional = true}
/* clang-format on */

/* What orders a list, as the list likes: numbers, the first of which says most. */
struct paging_position {
    int64_t first, second, third, fourth;
};

/** A real number as one of them, and back. */
int64_t paging_from_real(double real);
double paging_to_real(int64_t number);

/** The list that is asked for: the operation and its parameters, but those of the page, as a
 * canonical string (auth/signature.h) in the arena. */
const char *paging_list(const struct call *call);

/** The text for a page that ended at this position, in the arena; behind paging_begin(). */
const char *paging_next(const struct call *call, const struct paging_position *position);

/** Reads the position where the page begins; without `after`, it stays. STATUS_PARAMETER_INVALID,
 * with the parameter named, where the text is not one of the same operation and parameters. The
 * worker's first asks for the key, before the batch is run. */
enum status paging_begin(struct call *call, const struct paging *paging,
                         struct paging_position *position) MUST_CHECK;

#endif
