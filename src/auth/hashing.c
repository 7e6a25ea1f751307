#include "auth/hashing.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/places.h"

enum { WAIT_MOST = 2000, WAIT_STEP = 5 }; /* milliseconds */

/* How many may hash at a time. */
static int places_to_hash(int64_t workers)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t most = workers / 4 < processors / 2 ? workers / 4 : processors / 2;
    return most > 1 ? (int)most : 1;
}

/* Behind the last who waits, or at a place to hash at where nobody does. Who waits only moves the
 * way that this looks, so that he is not missed. */
static int join(const struct hashing *hashing, int count, int last)
{
    int behind = 0;
    for (int place = last; place >= count && behind == 0; place--)
        if (places_is_taken(hashing->places, place))
            behind = place + 1;
    return places_take(hashing->places, behind, last + 1 - behind);
}

/* To the place before, or to any of those to hash at; -1 where they are taken. */
static int move_up(const struct hashing *hashing, int place, int count)
{
    bool is_first = place == count;
    int next = places_take(hashing->places, is_first ? 0 : place - 1, is_first ? count : 1);
    if (next >= 0)
        places_leave(hashing->places, place);
    return next;
}

/* The places to hash at come first, and then those to wait at: a line that is joined at its end, so
 * that nobody who waits is overtaken. */
enum status hashing_enter(const struct hashing *hashing, int *place)
{
    int count = places_to_hash(hashing->workers);
    int waiting = (int)(hashing->workers / 2) - count;
    int64_t end = clock_milliseconds() + WAIT_MOST;
    *place = join(hashing, count, count + (waiting > 0 ? waiting : 0) - 1);
    while (*place >= count && clock_milliseconds() < end) {
        int next = move_up(hashing, *place, count);
        if (next >= 0)
            *place = next;
        else
            poll(NULL, 0, WAIT_STEP);
    }
    if (*place >= count) {
        places_leave(hashing->places, *place);
        *place = -1;
    }
    return *place >= 0 ? STATUS_OK : STATUS_UNAVAILABLE;
}

void hashing_leave(const struct hashing *hashing, int place)
{
    places_leave(hashing->places, place);
}
