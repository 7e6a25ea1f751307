#include "pool/reception.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "pool/lobby.h"

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
                    struct handoff *guest)
{
    if (!handoff_send(reception->entrance.in, guest, spool, MSG_DONTWAIT))
        handoff_drop(guest, spool);
}

enum handoff_arrival reception_take(const struct reception *reception, const struct spool *spool,
                                    struct handoff *guest, int flags)
{
    return handoff_receive(reception->exit.out, guest, spool, flags);
}

void reception_finish(struct reception *reception)
{
    close_end(&reception->entrance.in);
}

/* The process ---------------------------------------------------------------------------------- */

struct desk {
    struct reception *reception;
    struct scoreboard *scoreboard;
    const struct spool *spool;
    struct lobby lobby;
    int epoll; /* the entrance, and the lobby's */
};

static bool watch(const struct desk *desk, int descriptor)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    return epoll_ctl(desk->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

static bool open_desk(struct desk *desk, const struct input_options *options)
{
    close_end(&desk->reception->entrance.in);
    close_end(&desk->reception->exit.out);
    desk->epoll = epoll_create1(EPOLL_CLOEXEC);
    return lobby_open(&desk->lobby, options) && watch(desk, desk->lobby.descriptor) &&
           watch(desk, desk->reception->entrance.out);
}

/* A web server that has connected is about to send; one that says nothing even so has no
 * request in flight that the end of the service would have to wait for. */
static void receive_guest(struct desk *desk)
{
    struct handoff guest = {.connection = -1};
    enum handoff_arrival arrival =
        handoff_receive(desk->reception->entrance.out, &guest, desk->spool, MSG_DONTWAIT);
    if (arrival == HANDOFF_CAME) {
        lobby_add(&desk->lobby, &guest);
        atomic_fetch_add(&desk->scoreboard->slots[SCOREBOARD_RECEPTION].served, 1);
    }
    if (arrival == HANDOFF_NO_MORE) {
        close_end(&desk->reception->entrance.out);
        lobby_hurry_silent(&desk->lobby, LAST_CALL);
    }
}

/* Waits where the exit is full: no worker is free, so there is nobody to hurry for. */
static void see_out(struct desk *desk)
{
    struct handoff guest;
    if (lobby_take(&desk->lobby, &guest) &&
        !handoff_send(desk->reception->exit.in, &guest, desk->spool, 0))
        handoff_drop(&guest, desk->spool);
}

static void wait_for_guests(struct desk *desk)
{
    enum { EVENTS = 2 };
    struct epoll_event events[EVENTS];
    int count = epoll_wait(desk->epoll, events, EVENTS, (int)lobby_wants(&desk->lobby));
    log_set_level((enum log_level)atomic_load(&desk->scoreboard->log_level));
    for (int i = 0; i < count; i++)
        if (events[i].data.fd == desk->reception->entrance.out)
            receive_guest(desk);
        else
            see_out(desk);
    lobby_thin(&desk->lobby);
    lobby_expire(&desk->lobby);
    atomic_store(&desk->scoreboard->guests, desk->lobby.count);
}

int reception_run(struct reception *reception, const struct input_options *options,
                  struct scoreboard *scoreboard)
{
    struct desk desk = {.reception = reception, .scoreboard = scoreboard, .spool = options->spool};
    /* So that what large requests took goes back to the system with them: mallopt(3). */
    mallopt(M_MMAP_THRESHOLD, 131072);
    if (!open_desk(&desk, options)) {
        log_error("epoll: %s", strerror(errno));
        return EXIT_FAILURE;
    }
    progress_enter(&scoreboard->slots[SCOREBOARD_RECEPTION].progress, STAGE_IDLE);
    while (reception->entrance.out >= 0 || desk.lobby.count > 0)
        wait_for_guests(&desk);
    lobby_close(&desk.lobby);
    close(desk.epoll);
    reception_close(reception);
    return EXIT_SUCCESS;
}
