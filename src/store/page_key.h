/*
 * The key of the texts by which the next page of a list is asked for: the site's, so that whatever
 * machine a page is asked of knows what another one gave.
 */
#ifndef MAPDIARY_STORE_PAGE_KEY_H
#define MAPDIARY_STORE_PAGE_KEY_H

#include "base/status.h"
#include "db/batch.h"

/* Empty: not read yet. */
struct page_key {
    char text[80];
};

/** STATUS_UNAVAILABLE while the database is away. */
enum status page_key_read(struct db_batch *batch, struct page_key *key) MUST_CHECK;

#endif
