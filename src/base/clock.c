#include "base/clock.h"

#include <errno.h>
#include <time.h>

int64_t clock_microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void clock_sleep_until(int64_t moment)
{
    const struct timespec end = {.tv_sec = moment / 1000000, .tv_nsec = moment % 1000000 * 1000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
        ;
}
