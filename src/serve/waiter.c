#include "serve/waiter.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "run/child.h"
#include "serve/handoff.h"
#include "serve/pending_list.h"

enum { LAST_CALL = 1000 }; /* milliseconds for who says nothing when the service ends */

struct waiter {
    struct shared *shared;
    struct channels *channels;
    struct scoreboard_slot *slot;
    const struct spool *spool;
    struct input_options options;
    struct pending_list list;
    int epoll; /* the channel to here, that to the workers while it is full, and the list's */
    bool is_blocked;
    struct pending next; /* for the workers; what is in the way then */
};

static bool watch(const struct waiter *waiter, int descriptor, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = descriptor};
    return epoll_ctl(waiter->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

/* As many as the descriptors are enough for, of each kind: a connection has two at most. */
static size_t most_pending(void)
{
    enum { OTHERS = 64, EACH = 2 * PENDING_KINDS };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur > OTHERS + EACH ? (size_t)(limit.rlim_cur - OTHERS) / EACH : 1;
}

static bool open_waiter(struct waiter *waiter)
{
    struct pending_list *list = &waiter->list;
    prctl(PR_SET_NAME, "mapd-waiter"); /* of 15 bytes at most */
    close(waiter->shared->listener->descriptor);
    /* So that what large requests took goes back to the system with them: mallopt(3). */
    mallopt(M_MMAP_THRESHOLD, 131072);
    channels_keep_waiters(waiter->channels);
    waiter->epoll = epoll_create1(EPOLL_CLOEXEC);
    return pending_list_open(list, &waiter->options, waiter->shared->permits, most_pending()) &&
           watch(waiter, list->ready[PENDING_REQUEST], EPOLLIN) &&
           watch(waiter, list->ready[PENDING_PERMIT], EPOLLIN) &&
           watch(waiter, permits_event(waiter->shared->permits), EPOLLIN) &&
           watch(waiter, list->ready[PENDING_ANSWER], EPOLLIN) &&
           watch(waiter, waiter->channels->to_waiter.out, EPOLLIN);
}

/* A web server that has connected is about to send; one that says nothing even so has no
 * request in flight that the end of the service would have to wait for. */
static void receive(struct waiter *waiter)
{
    struct pending pending = {.connection = -1};
    enum handoff_arrival arrival =
        handoff_receive(waiter->channels->to_waiter.out, &pending, waiter->spool, MSG_DONTWAIT);
    if (arrival == HANDOFF_CAME) {
        pending_list_add(&waiter->list, &pending);
        atomic_fetch_add(&waiter->slot->served, 1);
    }
    if (arrival == HANDOFF_NO_MORE) {
        channel_close_end(&waiter->channels->to_waiter.out);
        pending_list_hurry_silent(&waiter->list, LAST_CALL);
    }
}

/* No request is looked at while the one before it finds no room: no worker is free, so there is
 * nobody to hurry for. Answers go on. */
static void set_blocked(struct waiter *waiter, bool is_blocked)
{
    int requests = waiter->list.ready[PENDING_REQUEST], channel = waiter->channels->to_workers.in;
    if (waiter->is_blocked == is_blocked)
        return;
    waiter->is_blocked = is_blocked;
    epoll_ctl(waiter->epoll, EPOLL_CTL_DEL, is_blocked ? requests : channel, NULL);
    (void)watch(waiter, is_blocked ? channel : requests, is_blocked ? EPOLLOUT : EPOLLIN);
}

static void pass_next(struct waiter *waiter)
{
    bool is_sent =
        handoff_send(waiter->channels->to_workers.in, &waiter->next, waiter->spool, MSG_DONTWAIT);
    bool is_full = !is_sent && errno == EAGAIN;
    if (!is_sent && !is_full) {
        log_warning("fastcgi: a connection cannot be passed on: %s", strerror(errno));
        permits_give(waiter->shared->permits, &waiter->next.permit);
        pending_close(&waiter->next, waiter->spool);
    }
    set_blocked(waiter, is_full);
}

static void handle(struct waiter *waiter, int descriptor)
{
    if (descriptor == waiter->channels->to_waiter.out)
        receive(waiter);
    else if (descriptor == waiter->list.ready[PENDING_ANSWER])
        pending_list_send(&waiter->list);
    else if (descriptor == waiter->list.ready[PENDING_PERMIT])
        pending_list_drop(&waiter->list);
    else if (descriptor == permits_event(waiter->shared->permits))
        (void)eventfd_read(descriptor, &(eventfd_t){0});
    else if (descriptor == waiter->channels->to_workers.in ||
             pending_list_take(&waiter->list, &waiter->next))
        pass_next(waiter);
}

/* It stays when the configuration changes. */
static void heed_settings(struct waiter *waiter)
{
    const struct shared *shared = waiter->shared;
    log_set_level((enum log_level)atomic_load(&shared->scoreboard->settings->log_level));
    waiter->options.body_most = atomic_load(&shared->state->body_most);
}

static void grant_permits(struct waiter *waiter)
{
    while (!waiter->is_blocked && pending_list_take_permit(&waiter->list, &waiter->next))
        pass_next(waiter);
}

static void show(const struct waiter *waiter)
{
    struct waiter_state *state = &waiter->shared->state->waiter;
    atomic_store(&state->requests, waiter->list.counts[PENDING_REQUEST]);
    atomic_store(&state->answers, waiter->list.counts[PENDING_ANSWER]);
}

static void wait_for_pending(struct waiter *waiter)
{
    enum { EVENTS = 4 };
    struct epoll_event events[EVENTS];
    int limit = child_beat(waiter->slot, pending_list_wants(&waiter->list));
    int count = epoll_wait(waiter->epoll, events, EVENTS, limit);
    heed_settings(waiter);
    for (int i = 0; i < count; i++)
        handle(waiter, events[i].data.fd);
    pending_list_thin(&waiter->list);
    pending_list_expire(&waiter->list);
    grant_permits(waiter);
    show(waiter);
}

static bool has_work(const struct waiter *waiter)
{
    return waiter->channels->to_waiter.out >= 0 || waiter->is_blocked ||
           !pending_list_is_empty(&waiter->list);
}

int waiter_run(struct shared *shared, struct scoreboard_slot *slot)
{
    const struct spool spool = shared_spool(shared, &shared->state->waiter.spooled);
    struct waiter waiter = {.shared = shared,
                            .channels = &shared->channels,
                            .slot = slot,
                            .spool = &spool,
                            .options = {.spool = &spool}};
    heed_settings(&waiter);
    if (!open_waiter(&waiter)) {
        log_error("epoll: %s", strerror(errno));
        return EXIT_FAILURE;
    }
    child_is_ready(slot);
    while (has_work(&waiter))
        wait_for_pending(&waiter);
    pending_list_close(&waiter.list);
    close(waiter.epoll);
    channels_close(&shared->channels);
    return EXIT_SUCCESS;
}
