#include "api/rate.h"

#include <errno.h>
#include <stdbool.h>

void rate_begin(struct rate *rate)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&rate->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/* A process that died had at most one number wrong. */
static void lock(struct rate *rate)
{
    if (pthread_mutex_lock(&rate->mutex) == EOWNERDEAD)
        pthread_mutex_consistent(&rate->mutex);
}

static bool is_over(const struct rate_user *user, int64_t now)
{
    return user->writes == 0 || now - user->began_at >= RATE_MINUTE;
}

/* The place of the user, else the one whose loss matters least. */
static struct rate_user *find(struct rate *rate, int64_t user_id, int64_t now)
{
    struct rate_user *set = rate->users[user_id % RATE_SETS], *found = set;
    for (int i = 0; i < RATE_USERS; i++) {
        if (set[i].user_id == user_id)
            return &set[i];
        if (!is_over(found, now) && (is_over(&set[i], now) || set[i].writes < found->writes))
            found = &set[i];
    }
    return found;
}

static int64_t count(struct rate_user *user, int64_t most, int64_t now, int64_t *minute)
{
    *minute = user->began_at;
    if (user->writes >= most)
        return user->began_at + RATE_MINUTE - now;
    user->writes++;
    return 0;
}

int64_t rate_count(struct rate *rate, int64_t user_id, int64_t most, int64_t now, int64_t *minute)
{
    lock(rate);
    struct rate_user *user = find(rate, user_id, now);
    if (user->user_id != user_id || is_over(user, now))
        *user = (struct rate_user){.user_id = user_id, .began_at = now};
    int64_t wait = count(user, most, now, minute);
    pthread_mutex_unlock(&rate->mutex);
    return wait;
}

void rate_take_back(struct rate *rate, int64_t user_id, int64_t minute)
{
    lock(rate);
    struct rate_user *user = find(rate, user_id, minute);
    if (user->user_id == user_id && user->began_at == minute && user->writes > 0)
        user->writes--;
    pthread_mutex_unlock(&rate->mutex);
}
