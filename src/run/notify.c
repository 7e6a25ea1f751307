#include "run/notify.h"

#include <systemd/sd-daemon.h>

#include "base/clock.h"

enum { STATUS_INTERVAL = 5000 }; /* milliseconds */

void notify_ready(void)
{
    sd_notify(0, "READY=1");
}

/* systemd 253 and later want to know when it began. */
void notify_reloading(void)
{
    sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld", (long long)clock_microseconds());
}

void notify_stopping(void)
{
    sd_notify(0, "STOPPING=1\nSTATUS=Finishing the requests in flight");
}

static bool is_time(int64_t *last, int64_t interval)
{
    int64_t now = clock_milliseconds();
    if (*last != 0 && now - *last < interval)
        return false;
    *last = now;
    return true;
}

bool notify_wants_status(void)
{
    static int64_t last;
    return is_time(&last, STATUS_INTERVAL);
}

void notify_status(const char *status)
{
    sd_notifyf(0, "STATUS=%s", status);
}

void notify_watchdog(void)
{
    static int64_t last;
    uint64_t microseconds = 0;
    if (sd_watchdog_enabled(0, &microseconds) > 0 && is_time(&last, (int64_t)microseconds / 3000))
        sd_notify(0, "WATCHDOG=1");
}
