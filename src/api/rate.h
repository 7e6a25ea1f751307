/*
 * How many writes users have made within a minute, in memory that all workers of the machine share.
 * A minute begins with the first write. The memory has a constant size; where too many users write
 * at a time, those with the fewest writes are forgotten, and no user counts for another one.
 */
#ifndef MAPDIARY_API_RATE_H
#define MAPDIARY_API_RATE_H

#include <pthread.h>
#include <stdint.h>

/* Users are found by the rest of their identifier, as these are numbered one by one. */
enum { RATE_SETS = 2048, RATE_USERS = 8, RATE_MINUTE = 60000 /* milliseconds */ };

struct rate {
    pthread_mutex_t mutex; /* given back by the kernel when a process dies that has it */
    struct rate_user {
        int64_t user_id;
        int64_t began_at; /* milliseconds of base/clock.h */
        int64_t writes;   /* 0: the place is free */
    } users[RATE_SETS][RATE_USERS];
};

/** To be called once, before processes are forked. The memory is all zeros. */
void rate_begin(struct rate *rate);

/** Counts a write, if the user has made fewer than so many within the minute. Answers the
 * milliseconds until the user may write, or 0 where the write was counted; *minute is the minute
 * that it belongs to. */
int64_t rate_count(struct rate *rate, int64_t user_id, int64_t most, int64_t now, int64_t *minute);

/** Takes a counted write back, unless its minute is over. */
void rate_take_back(struct rate *rate, int64_t user_id, int64_t minute);

#endif
