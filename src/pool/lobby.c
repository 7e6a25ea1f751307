#include "pool/lobby.h"

#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

enum { SPOOL_TICK = 100 }; /* milliseconds between two looks at how full the spool is */

bool lobby_open(struct lobby *lobby, const struct input_options *options)
{
    lobby->options = options;
    lobby->count = 0;
    lobby->descriptor = epoll_create1(EPOLL_CLOEXEC);
    return lobby->descriptor >= 0;
}

/* The guest as it was; its place goes to those who came later. */
static struct handoff leave(struct lobby *lobby, size_t i)
{
    struct handoff guest = lobby->guests[i];
    size_t behind = --lobby->count - i;
    memmove(&lobby->guests[i], &lobby->guests[i + 1], behind * sizeof *lobby->guests);
    epoll_ctl(lobby->descriptor, EPOLL_CTL_DEL, guest.connection, NULL);
    return guest;
}

static void show_out(struct lobby *lobby, size_t i)
{
    struct handoff guest = leave(lobby, i);
    handoff_drop(&guest, lobby->options->spool);
}

static void make_room(struct lobby *lobby)
{
    if (lobby->count < LOBBY_MOST)
        return;
    log_warning("fastcgi: too many connections wait with a request that is not whole");
    show_out(lobby, 0);
}

void lobby_add(struct lobby *lobby, const struct handoff *guest)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = guest->connection};
    make_room(lobby);
    lobby->guests[lobby->count++] = *guest;
    if (epoll_ctl(lobby->descriptor, EPOLL_CTL_ADD, guest->connection, &event) != 0)
        show_out(lobby, lobby->count - 1);
}

static size_t place_of(const struct lobby *lobby, int connection)
{
    size_t i = 0;
    while (lobby->guests[i].connection != connection)
        i++;
    return i;
}

bool lobby_take(struct lobby *lobby, struct handoff *guest)
{
    struct epoll_event event;
    if (lobby->count == 0 || epoll_wait(lobby->descriptor, &event, 1, 0) != 1)
        return false;
    size_t i = place_of(lobby, event.data.fd);
    struct handoff *ready = &lobby->guests[i];
    if (input_read(&ready->input, ready->connection, lobby->options) != STATUS_OK) {
        show_out(lobby, i);
        return false;
    }
    if (!input_is_whole(&ready->input))
        return false;
    *guest = leave(lobby, i);
    return true;
}

void lobby_thin(struct lobby *lobby)
{
    size_t i = 0;
    while (i < lobby->count && !lobby->guests[i].input.file.is_open)
        i++;
    if (i == lobby->count || !spool_is_nearly_full(lobby->options->spool))
        return;
    log_warning("fastcgi: a connection is closed whose request is slow, as spool_size is reached");
    show_out(lobby, i);
}

void lobby_expire(struct lobby *lobby)
{
    int64_t now = clock_milliseconds();
    for (size_t i = lobby->count; i-- > 0;)
        if (lobby->guests[i].until <= now) {
            log_warning("fastcgi: a connection is closed whose request did not come in time");
            show_out(lobby, i);
        }
}

int64_t lobby_wants(const struct lobby *lobby)
{
    if (lobby->count == 0)
        return -1;
    int64_t now = clock_milliseconds(), until = INT64_MAX;
    for (size_t i = 0; i < lobby->count; i++) {
        const struct handoff *guest = &lobby->guests[i];
        int64_t next = guest->input.file.is_open ? now + SPOOL_TICK : guest->until;
        until = next < until ? next : until;
        until = guest->until < until ? guest->until : until;
    }
    return until > now ? until - now : 0;
}

void lobby_hurry_silent(struct lobby *lobby, int64_t patience)
{
    int64_t until = clock_milliseconds() + patience;
    for (size_t i = 0; i < lobby->count; i++) {
        struct handoff *guest = &lobby->guests[i];
        if (input_is_empty(&guest->input) && guest->until > until)
            guest->until = until;
    }
}

void lobby_close(struct lobby *lobby)
{
    while (lobby->count > 0)
        show_out(lobby, 0);
    close(lobby->descriptor);
}
