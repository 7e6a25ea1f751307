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

/* The answer of a list whose items are streamed. */
struct page_shown {
    const char *next; /* NULL: it is the last one */
};

/** The list that is asked for: the operation and its parameters, but those of the page, as a
 * canonical string (auth/signature.h) in the arena. */
const char *paging_list(const struct call *call);

/*
 * A position is a struct of the list's own, without padding and with at most PAGING_POSITION_MOST
 * bytes, which the text holds as they are in memory: all machines of a site have one architecture.
 */
enum { PAGING_POSITION_MOST = 64 };

/** The text for a page that ended at this position, in the arena; to be called after
 * paging_begin(). */
const char *paging_next(const struct call *call, const void *position, size_t size);

/** Reads the position where the page begins; without `after`, it stays. STATUS_PARAMETER_INVALID,
 * with the parameter named, where the text is not one of the same operation and parameters. The
 * first call in a worker reads the key from the database, before the batch is run. */
enum status paging_begin(struct call *call, const struct paging *paging, void *position,
                         size_t size) MUST_CHECK;

#endif
