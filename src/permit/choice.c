/*
 * The choice of the request that gets the next permit.
 */
#include "base/clock.h"
#include "permit/table.h"

enum {
    GRANT_TIME = 15000, /* milliseconds that a permit may be on its way */
    NEIGHBOURS = 16,    /* a network counts a part of its site's time: many addresses gain little */
};

/* Milliseconds that a request of a known network is ahead of others. */
static const double ahead = 200;

static double lately(struct permits *permits, uint64_t name, int64_t now)
{
    return name != 0 ? recent_count(&permits->times, name, now) : 0;
}

/* The request with the least is next. */
static double time_used(struct permits *permits, const struct asker *asker, int64_t now)
{
    double network = lately(permits, asker->network, now) +
                     lately(permits, asker->site, now) / (double)NEIGHBOURS;
    double account = asker->class != WORK_PASSWORD ? lately(permits, asker->account, now) : 0;
    double used = account > network ? account : network;
    return asker->is_known ? used / 2 - ahead : used;
}

/* The waiting requests of each class. */
struct queue {
    const struct asker *const *waiting;
    size_t count;
    bool has_rivals[WORK_CLASSES]; /* they are of several networks and accounts */
};

static struct queue new_queue(const struct asker *const *waiting, size_t count)
{
    struct queue queue = {waiting, count, {false}};
    const struct asker *first[WORK_CLASSES] = {NULL};
    for (size_t i = 0; i < count; i++) {
        enum work_class class = waiting[i]->class;
        if (first[class] == NULL)
            first[class] = waiting[i];
        queue.has_rivals[class] |= !permits_are_of_one(first[class], waiting[i]);
    }
    return queue;
}

static bool may_have(const struct permits *permits, const struct queue *queue,
                     const struct asker *asker)
{
    return permits_have_room(permits, asker) &&
           !(queue->has_rivals[asker->class] && permits_held_by(permits, asker) > 0);
}

/* The index of the next request, or the count. */
static size_t next(struct permits *permits, const struct queue *queue, int64_t now)
{
    size_t found = queue->count;
    double least = 0;
    for (size_t i = 0; i < queue->count; i++) {
        const struct asker *asker = queue->waiting[i];
        double used = time_used(permits, asker, now);
        if ((found == queue->count || used < least) && may_have(permits, queue, asker)) {
            found = i;
            least = used;
        }
    }
    return found;
}

/* A grant is lost with a process that died before it took the grant up. */
static void void_late_grants(struct permits *permits, int64_t now)
{
    for (size_t i = 0; i < permits->used; i++) {
        struct slot *slot = &permits->slots[i];
        if (slot->serial != 0 && slot->is_granted && now - slot->since > GRANT_TIME)
            permits_let_go(permits, slot);
    }
}

static void note_waiting(struct permits *permits, const struct queue *queue, size_t chosen)
{
    size_t waiting[WORK_CLASSES] = {0};
    permits->is_crowded = permits->is_awaited = false;
    for (size_t i = 0; i < queue->count; i++) {
        enum work_class class = queue->waiting[i]->class;
        if (i == chosen)
            continue;
        waiting[class]++;
        permits->is_awaited = true;
        permits->is_crowded |= permits_are_crowded(permits, class);
    }
    for (size_t i = 0; i < WORK_CLASSES; i++)
        atomic_store(&permits->figures[i].waiting, waiting[i]);
}

size_t permits_choose(struct permits *permits, const struct asker *const *waiting, size_t count,
                      struct permit *permit)
{
    const struct queue queue = new_queue(waiting, count);
    int64_t now = clock_milliseconds();
    permits_enter(permits);
    void_late_grants(permits, now);
    size_t chosen = next(permits, &queue, now);
    if (chosen < count)
        permits_hold(permits, waiting[chosen], permit)->is_granted = true;
    note_waiting(permits, &queue, chosen);
    permits_leave(permits);
    return chosen;
}

size_t permits_last(struct permits *permits, const struct asker *const *waiting, size_t count)
{
    int64_t now = clock_milliseconds();
    size_t last = 0;
    double most = 0;
    permits_enter(permits);
    for (size_t i = 0; i < count; i++) {
        double used = time_used(permits, waiting[i], now);
        if (i == 0 || used >= most) {
            last = i;
            most = used;
        }
    }
    permits_leave(permits);
    return last;
}
