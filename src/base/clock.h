/*
 * The monotonic clock: durations and deadlines, never times of day.
 */
#ifndef MAPDIARY_BASE_CLOCK_H
#define MAPDIARY_BASE_CLOCK_H

#include <stdint.h>

/** Microseconds since some fixed moment. */
int64_t clock_microseconds(void);

/** Milliseconds since the same moment. */
static inline int64_t clock_milliseconds(void)
{
    return clock_microseconds() / 1000;
}

#endif
