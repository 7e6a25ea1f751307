/*
 * Who may hash a password now. It takes a processor for a tenth of a second and much memory, on
 * purpose, so there are permits: for at most a quarter of the workers, and at most half of the
 * processors. Others wait in a queue, up to half of the workers in all, so that a flood of logins
 * leaves the other half to those who read.
 *
 * The queue is fair to networks: next is the one that had the least of late, whoever came first,
 * and whoever has no place left in it because of that, or finds none, is asked to come back. So one
 * that holds many connections waits for all others, and of many that do so each takes its turn.
 * What its neighbours had counts a little, so that whoever holds many addresses gains little by
 * that. An account that is tried already waits likewise. A client that has logged in to the account
 * from its network before counts half, and comes before those who are new.
 */
#ifndef MAPDIARY_AUTH_HASHING_H
#define MAPDIARY_AUTH_HASHING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* In memory that all workers share. */
struct hashing_queue;

struct hashing {
    struct hashing_queue *queue;
    int64_t workers; /* how many there are */
};

struct hashing_client {
    const char *network; /* of the client, and of its site, as network_name() gives them */
    const char *site;
    const char *account; /* its email address */
    bool is_known;
};

/** For processes that are forked after this. NULL, logged, where the system gives none. */
struct hashing_queue *hashing_open(void);
void hashing_close(struct hashing_queue **queue);

/** Waits for one's turn, up to two seconds. STATUS_UNAVAILABLE where these are over, or others come
 * first. After STATUS_OK the caller ends with hashing_leave(). */
enum status hashing_enter(const struct hashing *hashing,
                          const struct hashing_client *client) MUST_CHECK;
void hashing_leave(const struct hashing *hashing);

#endif
