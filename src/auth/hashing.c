#include "auth/hashing.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/places.h"

enum { WAIT_MOST = 2000, WAIT_STEP = 5 }; /* milliseconds */

/*
 * Where the places are. A ticket lets one in at all, so that no more come than may. Then one
 * hashes, or stands in the line for that: it is joined at its end, so that nobody who waits is
 * overtaken, and longer than there are tickets, as those behind a gap take a while to close it.
 */
struct plan {
    int desks, line, end; /* where each begins; tickets begin at 0 */
};

static struct plan plan_for(int64_t workers)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t most = workers / 4 < processors / 2 ? workers / 4 : processors / 2;
    int desks = most > 1 ? (int)most : 1, half = (int)(workers / 2);
    int tickets = half > desks ? half : desks;
    return (struct plan){tickets, tickets + desks, tickets + desks + 2 * tickets};
}

/* Behind the last who waits, or at a desk where nobody does. Who waits only moves the way that this
 * looks, so that he is not missed. -1 where the end of the line is taken. */
static int join(int places, const struct plan *plan)
{
    int behind = plan->desks;
    for (int place = plan->end - 1; place >= plan->line && behind == plan->desks; place--)
        if (places_is_taken(places, place))
            behind = place + 1;
    return places_take(places, behind, plan->end - behind);
}

/* To the place before, or to any of the desks; -1 where they are taken. */
static int move_up(int places, const struct plan *plan, int place)
{
    bool is_first = place == plan->line;
    int next = places_take(places, is_first ? plan->desks : place - 1,
                           is_first ? plan->line - plan->desks : 1);
    if (next >= 0)
        places_leave(places, place);
    return next;
}

/* The place after this one; the same, or still -1, where there is none yet. */
static int step(int places, const struct plan *plan, int place)
{
    int next = place < 0 ? join(places, plan) : move_up(places, plan, place);
    return next < 0 ? place : next;
}

enum status hashing_enter(const struct hashing *hashing)
{
    const struct plan plan = plan_for(hashing->workers);
    int64_t end = clock_milliseconds() + WAIT_MOST;
    int place = -1;
    if (places_take(hashing->places, 0, plan.desks) < 0)
        return STATUS_UNAVAILABLE;
    while ((place < 0 || place >= plan.line) && clock_milliseconds() < end) {
        int next = step(hashing->places, &plan, place);
        if (next == place)
            poll(NULL, 0, WAIT_STEP);
        place = next;
    }
    if (place >= 0 && place < plan.line)
        return STATUS_OK;
    hashing_leave(hashing);
    return STATUS_UNAVAILABLE;
}

void hashing_leave(const struct hashing *hashing)
{
    places_leave_all(hashing->places);
}
