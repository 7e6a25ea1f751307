/*
 * Attempts to log in, counted in the database, so that all workers and machines count together.
 */
#ifndef MAPDIARY_STORE_THROTTLE_H
#define MAPDIARY_STORE_THROTTLE_H

#include <stdint.h>

#include "db/batch.h"

struct throttle_rule {
    int64_t account_free; /* failures before an account must wait; 0: never */
    int64_t address_free; /* the same for an address */
    int64_t longest_wait; /* milliseconds */
};

/* Who tries. */
struct throttle_subject {
    const char *email;
    const char *address; /* of the client, or the network that counts as one */
};

/** Adds the count of an attempt; throttle_wait() reads what came of it. */
const struct db_rows *throttle_attempt_add(struct db_batch *batch,
                                           const struct throttle_subject *subject,
                                           const struct throttle_rule *rule);
/** Milliseconds to wait before the next attempt; 0: go on. */
int64_t throttle_wait(const struct db_rows *rows);

/** Adds that the attempt was a right one. */
void throttle_forgive_add(struct db_batch *batch, const struct throttle_subject *subject);

#endif
