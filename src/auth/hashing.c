#include "auth/hashing.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/places.h"

/* Milliseconds. Somebody who has just come may be on his way up from the last place. */
enum { WAIT_MOST = 2000, WAIT_STEP = 5, JOIN_MOST = 20 };

/* How many may hash at a time. */
static int places_to_hash(int64_t workers)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t most = workers / 4 < processors / 2 ? workers / 4 : processors / 2;
    return most > 1 ? (int)most : 1;
}

static int join(const struct hashing *hashing, int last)
{
    int64_t end = clock_milliseconds() + JOIN_MOST;
    int place = places_take(hashing->places, last, 1);
    while (place < 0 && clock_milliseconds() < end) {
        poll(NULL, 0, 1);
        place = places_take(hashing->places, last, 1);
    }
    return place;
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
    int last = (int)(hashing->workers / 2) - 1;
    int64_t end = clock_milliseconds() + WAIT_MOST;
    *place = last < count ? places_take(hashing->places, 0, count) : join(hashing, last);
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
