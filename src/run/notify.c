#include "run/notify.h"

#include <systemd/sd-daemon.h>

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

void notify_status(const struct scoreboard *scoreboard)
{
    static int64_t last;
    if (!is_time(&last, STATUS_INTERVAL))
        return;
    struct scoreboard_summary summary = scoreboard_summarize(scoreboard);
    size_t idle = summary.stages[STAGE_IDLE], none = summary.stages[STAGE_NONE];
    size_t all = atomic_load(&scoreboard->wanted);
    sd_notifyf(0, "STATUS=%zu of %zu workers, %zu idle; %lu requests; database: %s", all - none,
               all, idle, summary.requests,
               summary.connected > 0 || summary.reason == NULL ? "connected" : summary.reason);
}

void notify_watchdog(void)
{
    static int64_t last;
    uint64_t microseconds = 0;
    if (sd_watchdog_enabled(0, &microseconds) > 0 && is_time(&last, (int64_t)microseconds / 3000))
        sd_notify(0, "WATCHDOG=1");
}
