#include "auth/hashing.h"

#include <poll.h>
#include <stddef.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/places.h"

enum { WAIT_MOST = 2000, WAIT_STEP = 5 }; /* milliseconds */

static int wait_for_place(const struct hashing *hashing, int count)
{
    int64_t end = clock_milliseconds() + WAIT_MOST;
    int place = -1;
    while (place < 0 && clock_milliseconds() < end) {
        poll(NULL, 0, WAIT_STEP);
        place = places_take(hashing->places, 0, count);
    }
    return place;
}

/* How many may hash at a time. */
static int places_to_hash(int64_t workers)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t most = workers / 4 < processors / 2 ? workers / 4 : processors / 2;
    return most > 1 ? (int)most : 1;
}

/* The places to hash at come first, and then those to wait at. */
enum status hashing_enter(const struct hashing *hashing, int *place)
{
    int count = places_to_hash(hashing->workers);
    int waiting = (int)(hashing->workers / 2) - count;
    *place = places_take(hashing->places, 0, count);
    int queue = *place < 0 ? places_take(hashing->places, count, waiting) : -1;
    if (queue >= 0) {
        *place = wait_for_place(hashing, count);
        places_leave(hashing->places, queue);
    }
    return *place >= 0 ? STATUS_OK : STATUS_UNAVAILABLE;
}

void hashing_leave(const struct hashing *hashing, int place)
{
    places_leave(hashing->places, place);
}
