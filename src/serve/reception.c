#include "serve/reception.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "http/body.h"
#include "run/child.h"
#include "serve/pending_list.h"
#include "serve/shared.h"

enum { LAST_CALL = 1000 }; /* milliseconds for who says nothing when the service ends */

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

static bool open_door(struct door *door)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    *door = (struct door){.in = ends[0], .out = ends[1]};
    return true;
}

bool reception_open(struct reception *reception)
{
    *reception = (struct reception){{-1, -1}, {-1, -1}};
    if (open_door(&reception->entrance) && open_door(&reception->exit))
        return true;
    log_error("socketpair: %s", strerror(errno));
    reception_close(reception);
    return false;
}

void reception_close(struct reception *reception)
{
    close_end(&reception->entrance.in);
    close_end(&reception->entrance.out);
    close_end(&reception->exit.in);
    close_end(&reception->exit.out);
}

/* For workers ---------------------------------------------------------------------------------- */

void reception_attend(struct reception *reception)
{
    close_end(&reception->entrance.out);
    close_end(&reception->exit.in);
}

void reception_pass(const struct reception *reception, const struct spool *spool,
                    struct pending *pending)
{
    if (handoff_send(reception->entrance.in, pending, spool, MSG_DONTWAIT))
        return;
    log_warning("fastcgi: a connection cannot be passed on: %s", strerror(errno));
    pending_close(pending, spool);
}

enum handoff_arrival reception_take(const struct reception *reception, const struct spool *spool,
                                    struct pending *pending, int flags)
{
    return handoff_receive(reception->exit.out, pending, spool, flags);
}

void reception_finish(struct reception *reception)
{
    close_end(&reception->entrance.in);
}

bool reception_is_open(const struct reception *reception)
{
    return reception->entrance.in >= 0;
}

/* The process ---------------------------------------------------------------------------------- */

struct desk {
    struct shared *shared;
    struct reception *reception;
    struct scoreboard_slot *slot;
    const struct spool *spool;
    struct pending_list list;
    int epoll; /* the entrance, the exit while somebody stands there, and the list's */
    bool is_exit_full;
    struct pending leaving; /* who stands there then */
};

static bool watch(const struct desk *desk, int descriptor, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = descriptor};
    return epoll_ctl(desk->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
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

static bool open_desk(struct desk *desk, const struct input_options *options)
{
    struct pending_list *list = &desk->list;
    close_end(&desk->reception->entrance.in);
    close_end(&desk->reception->exit.out);
    desk->epoll = epoll_create1(EPOLL_CLOEXEC);
    return pending_list_open(list, options, most_pending()) &&
           watch(desk, list->ready[PENDING_REQUEST], EPOLLIN) &&
           watch(desk, list->ready[PENDING_ANSWER], EPOLLIN) &&
           watch(desk, desk->reception->entrance.out, EPOLLIN);
}

/* A web server that has connected is about to send; one that says nothing even so has no
 * request in flight that the end of the service would have to wait for. */
static void receive_pending(struct desk *desk)
{
    struct pending pending = {.connection = -1};
    enum handoff_arrival arrival =
        handoff_receive(desk->reception->entrance.out, &pending, desk->spool, MSG_DONTWAIT);
    if (arrival == HANDOFF_CAME) {
        pending_list_add(&desk->list, &pending);
        atomic_fetch_add(&desk->slot->served, 1);
    }
    if (arrival == HANDOFF_NO_MORE) {
        close_end(&desk->reception->entrance.out);
        pending_list_hurry_silent(&desk->list, LAST_CALL);
    }
}

/* No request is looked at while the one before it finds no room: no worker is free, so there is
 * nobody to hurry for. Answers go on. */
static void set_exit_full(struct desk *desk, bool is_full)
{
    int requests = desk->list.ready[PENDING_REQUEST], exit = desk->reception->exit.in;
    if (desk->is_exit_full == is_full)
        return;
    desk->is_exit_full = is_full;
    epoll_ctl(desk->epoll, EPOLL_CTL_DEL, is_full ? requests : exit, NULL);
    (void)watch(desk, is_full ? exit : requests, is_full ? EPOLLOUT : EPOLLIN);
}

static void see_out(struct desk *desk)
{
    bool is_sent =
        handoff_send(desk->reception->exit.in, &desk->leaving, desk->spool, MSG_DONTWAIT);
    bool is_full = !is_sent && errno == EAGAIN;
    if (!is_sent && !is_full) {
        log_warning("fastcgi: a connection cannot be passed on: %s", strerror(errno));
        pending_close(&desk->leaving, desk->spool);
    }
    set_exit_full(desk, is_full);
}

static void attend(struct desk *desk, int descriptor)
{
    if (descriptor == desk->reception->entrance.out)
        receive_pending(desk);
    else if (descriptor == desk->list.ready[PENDING_ANSWER])
        pending_list_send(&desk->list);
    else if (descriptor == desk->reception->exit.in ||
             pending_list_take(&desk->list, &desk->leaving))
        see_out(desk);
}

static void wait_for_pending(struct desk *desk)
{
    enum { EVENTS = 3 };
    struct epoll_event events[EVENTS];
    int count = epoll_wait(desk->epoll, events, EVENTS, (int)pending_list_wants(&desk->list));
    log_set_level((enum log_level)atomic_load(&desk->shared->scoreboard->settings->log_level));
    for (int i = 0; i < count; i++)
        attend(desk, events[i].data.fd);
    pending_list_thin(&desk->list);
    pending_list_expire(&desk->list);
    atomic_store(&desk->shared->state->waiter.requests, desk->list.counts[PENDING_REQUEST]);
    atomic_store(&desk->shared->state->waiter.answers, desk->list.counts[PENDING_ANSWER]);
}

static bool has_work(const struct desk *desk)
{
    return desk->reception->entrance.out >= 0 || desk->is_exit_full ||
           !pending_list_is_empty(&desk->list);
}

int waiter_run(struct shared *shared, struct scoreboard_slot *slot)
{
    const struct spool spool = shared_spool(shared, &shared->state->waiter.spooled);
    const struct input_options options = {&spool, body_most()};
    struct desk desk = {
        .shared = shared, .reception = &shared->reception, .slot = slot, .spool = &spool};
    prctl(PR_SET_NAME, "mapd-reception"); /* of 15 bytes at most */
    close(shared->listener->descriptor);
    /* So that what large requests took goes back to the system with them: mallopt(3). */
    mallopt(M_MMAP_THRESHOLD, 131072);
    if (!open_desk(&desk, &options)) {
        log_error("epoll: %s", strerror(errno));
        return EXIT_FAILURE;
    }
    child_is_ready(slot);
    while (has_work(&desk))
        wait_for_pending(&desk);
    pending_list_close(&desk.list);
    close(desk.epoll);
    reception_close(&shared->reception);
    return EXIT_SUCCESS;
}
