#include "api/metrics.h"

const int64_t metrics_bounds[METRICS_BOUNDS] = {
    500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000, 10000000};

static void add(atomic_ulong *counter, unsigned long amount)
{
    atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

static size_t bucket_of(int64_t microseconds)
{
    size_t i = 0;
    while (i < METRICS_BOUNDS && microseconds > metrics_bounds[i])
        i++;
    return i;
}

void metrics_count(struct metrics *metrics, const struct metrics_event *event)
{
    size_t operation =
        event->operation < METRICS_NO_OPERATION ? event->operation : METRICS_NO_OPERATION;
    add(&metrics->requests[operation][event->status], 1);
    add(&metrics->durations[bucket_of(event->microseconds)], 1);
    add(&metrics->microseconds, (unsigned long)event->microseconds);
    add(&metrics->bytes_received, event->received);
    add(&metrics->bytes_sent, event->sent);
}

void metrics_count_picture(struct metrics *metrics, enum status status)
{
    add(&metrics->pictures[status], 1);
}
