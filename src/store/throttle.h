/*
 * Attempts to log in, counted in the database, so that all workers and machines count together.
 */
#ifndef MAPDIARY_STORE_THROTTLE_H
#define MAPDIARY_STORE_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "db/batch.h"

struct throttle_rule {
    int64_t account_free; /* failures before an account must wait; 0: never */
    int64_t address_free; /* the same for an address */
    int64_t hourly;       /* successes of an account in an hour; 0: as many as there are */
    int64_t longest_wait; /* milliseconds */
};

/* Who tries. */
struct throttle_subject {
    const char *email;
    const char *address; /* of the client, or the network that counts as one */
};

/* What is known of an attempt before it is made. */
struct throttle_look {
    int64_t wait;  /* milliseconds to wait; 0: go on */
    bool is_known; /* this user has logged in from this address before */
};

/** Adds a look at who tries, which counts and writes nothing; throttle_look_read() reads it. */
const struct db_rows *throttle_look_add(struct db_batch *batch,
                                        const struct throttle_subject *subject,
                                        const struct throttle_rule *rule);
struct throttle_look throttle_look_read(const struct db_rows *rows);

/** Adds the count of an attempt; throttle_wait() reads what came of it. */
const struct db_rows *throttle_attempt_add(struct db_batch *batch,
                                           const struct throttle_subject *subject,
                                           const struct throttle_rule *rule);
/** Milliseconds to wait before the next attempt, where this one was not counted; 0: go on. */
int64_t throttle_wait(const struct db_rows *rows);

/** Adds that the attempt was a right one, of that user. */
void throttle_welcome_add(struct db_batch *batch, int64_t user_id,
                          const struct throttle_subject *subject, const struct throttle_rule *rule);

/** Adds that the address has failed so many times more, or less, where it has failed of late. */
void throttle_adjust_add(struct db_batch *batch, const struct throttle_subject *subject,
                         int64_t change);

#endif
