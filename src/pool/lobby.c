#include "pool/lobby.h"

#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

bool lobby_open(struct lobby *lobby)
{
    lobby->count = 0;
    lobby->descriptor = epoll_create1(EPOLL_CLOEXEC);
    return lobby->descriptor >= 0;
}

static int leave(struct lobby *lobby, size_t i)
{
    int connection = lobby->guests[i].connection;
    size_t behind = --lobby->count - i;
    memmove(&lobby->guests[i], &lobby->guests[i + 1], behind * sizeof *lobby->guests);
    epoll_ctl(lobby->descriptor, EPOLL_CTL_DEL, connection, NULL);
    return connection;
}

static void show_out(struct lobby *lobby)
{
    log_warning("fastcgi: a connection is closed on which nothing was said");
    close(leave(lobby, 0));
}

void lobby_add(struct lobby *lobby, int connection, int64_t patience)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = connection};
    if (lobby->count == LOBBY_MOST)
        show_out(lobby);
    if (epoll_ctl(lobby->descriptor, EPOLL_CTL_ADD, connection, &event) != 0) {
        close(connection);
        return;
    }
    lobby->guests[lobby->count].connection = connection;
    lobby->guests[lobby->count++].until = clock_milliseconds() + patience;
}

int lobby_take(struct lobby *lobby)
{
    struct epoll_event event;
    if (lobby->count == 0 || epoll_wait(lobby->descriptor, &event, 1, 0) != 1)
        return -1;
    for (size_t i = 0; i < lobby->count; i++)
        if (lobby->guests[i].connection == event.data.fd)
            return leave(lobby, i);
    return -1;
}

void lobby_expire(struct lobby *lobby)
{
    while (lobby->count > 0 && lobby_wants(lobby) == 0)
        show_out(lobby);
}

int64_t lobby_wants(const struct lobby *lobby)
{
    if (lobby->count == 0)
        return -1;
    int64_t left = lobby->guests[0].until - clock_milliseconds();
    return left > 0 ? left : 0;
}

void lobby_close(struct lobby *lobby)
{
    while (lobby->count > 0)
        close(leave(lobby, 0));
    close(lobby->descriptor);
}
