#include "serve/wakeup.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "run/child_kind.h"

static bool watch(const struct wakeup *wakeup, int descriptor, uint32_t events,
                  enum wakeup_reason reason)
{
    struct epoll_event event = {.events = events, .data.u32 = reason};
    return epoll_ctl(wakeup->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

/* CHILD_STOP is read as one event among others: epoll_pwait(2) would leave it pending for as long
 * as there are others. */
static int open_stop(void)
{
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, CHILD_STOP);
    return signalfd(-1, &stop, SFD_CLOEXEC);
}

/* One connection wakes one worker, who therefore takes it, whatever else there is (epoll_ctl(2),
 * EPOLLEXCLUSIVE). The channel, which has few, wakes all. */
bool wakeup_open(struct wakeup *wakeup, int listener, int channel)
{
    for (int i = 0; i < ROUTE_SERVERS; i++)
        wakeup->databases[i] = -1;
    wakeup->epoll = epoll_create1(EPOLL_CLOEXEC);
    wakeup->stop = open_stop();
    return watch(wakeup, listener, EPOLLIN | EPOLLEXCLUSIVE, WAKEUP_LISTENER) &&
           watch(wakeup, channel, EPOLLIN, WAKEUP_CHANNEL) &&
           watch(wakeup, wakeup->stop, EPOLLIN, WAKEUP_STOP);
}

static void watch_database(const struct wakeup *wakeup, const struct pollfd *server)
{
    struct epoll_event event = {.events = (uint32_t)server->events, .data.u32 = WAKEUP_DATABASE};
    if (server->fd >= 0 && epoll_ctl(wakeup->epoll, EPOLL_CTL_MOD, server->fd, &event) != 0)
        epoll_ctl(wakeup->epoll, EPOLL_CTL_ADD, server->fd, &event);
}

/* A socket changes with every connection that is tried, and its number may be that of the other
 * one before: what is closed is not watched any more, and only then is the rest. */
static void watch_databases(struct wakeup *wakeup, const struct pollfd servers[])
{
    for (int i = 0; i < ROUTE_SERVERS; i++) {
        if (wakeup->databases[i] != servers[i].fd && wakeup->databases[i] >= 0)
            epoll_ctl(wakeup->epoll, EPOLL_CTL_DEL, wakeup->databases[i], NULL);
        wakeup->databases[i] = servers[i].fd;
    }
    for (int i = 0; i < ROUTE_SERVERS; i++)
        watch_database(wakeup, &servers[i]);
}

unsigned int wakeup_wait(struct wakeup *wakeup, const struct route *route)
{
    enum { EVENTS = 3 + ROUTE_SERVERS };
    struct pollfd servers[ROUTE_SERVERS];
    struct epoll_event events[EVENTS];
    int limit = (int)route_wants(route, servers);
    watch_databases(wakeup, servers);
    int count = epoll_wait(wakeup->epoll, events, EVENTS, limit);
    unsigned int reasons = count == 0 ? WAKEUP_DATABASE : 0;
    for (int i = 0; i < count; i++)
        reasons |= events[i].data.u32;
    return reasons;
}

void wakeup_close(struct wakeup *wakeup)
{
    close(wakeup->epoll);
    close(wakeup->stop);
}
