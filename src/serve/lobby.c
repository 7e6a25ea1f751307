#include "serve/lobby.h"

#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

enum { SPOOL_TICK = 100 }; /* milliseconds between two looks at how full the spool is */

static size_t total(const struct lobby *lobby)
{
    return lobby->counts[PENDING_REQUEST] + lobby->counts[PENDING_ANSWER];
}

bool lobby_is_empty(const struct lobby *lobby)
{
    return total(lobby) == 0;
}

bool lobby_open(struct lobby *lobby, const struct input_options *options, size_t most)
{
    bool is_open = true;
    lobby->options = options;
    lobby->most = most < LOBBY_MOST ? most : LOBBY_MOST;
    for (size_t kind = 0; kind < PENDING_KINDS; kind++) {
        lobby->counts[kind] = 0;
        lobby->ready[kind] = epoll_create1(EPOLL_CLOEXEC);
        is_open = is_open && lobby->ready[kind] >= 0;
    }
    return is_open;
}

/* Going -----------------------------------------------------------------------------------------
 */

/* The connection as it was; its slot goes to those who came later. */
static struct pending leave(struct lobby *lobby, size_t i)
{
    struct pending pending = lobby->connections[i];
    lobby->counts[pending.kind]--;
    size_t behind = total(lobby) - i;
    memmove(&lobby->connections[i], &lobby->connections[i + 1],
            behind * sizeof *lobby->connections);
    epoll_ctl(lobby->ready[pending.kind], EPOLL_CTL_DEL, pending.connection, NULL);
    return pending;
}

static void show_out(struct lobby *lobby, size_t i)
{
    struct pending pending = leave(lobby, i);
    pending_close(&pending, lobby->options->spool);
}

enum reason { CROWDED, SPOOL_FULL, LATE };

static void cut(struct lobby *lobby, size_t i, enum reason reason)
{
    static const char *const said[PENDING_KINDS][LATE + 1] = {
        {"too many connections wait with a request that is not whole",
         "a connection is closed whose request is slow, as spool_size is reached",
         "a connection is closed whose request did not come in time"},
        {"too many connections wait with an answer that is not taken",
         "a connection is closed whose answer is taken slowly, as spool_size is reached",
         "a connection is closed whose answer was not taken in time"},
    };
    log_warning("fastcgi: %s", said[lobby->connections[i].kind][reason]);
    show_out(lobby, i);
}

/* Bytes of it that have come or gone in a millisecond, on the average; who has just begun is not
 * slow. */
static double pace(const struct pending *pending, int64_t now)
{
    enum { CREDIT = 65536 };
    off_t bytes =
        pending->kind == PENDING_ANSWER ? pending->output.taken : pending->input.file.length;
    return (double)(CREDIT + bytes) / (double)(now - pending->since + 1);
}

/* Of those of a kind, or of any that has something in the spool; the number of all where there is
 * none. */
static size_t slowest(struct lobby *lobby, enum pending_kind kind, bool is_any)
{
    int64_t now = clock_milliseconds();
    size_t found = total(lobby);
    for (size_t i = 0; i < total(lobby); i++) {
        struct pending *pending = &lobby->connections[i];
        bool is_one = is_any ? pending_file(pending)->is_open : pending->kind == kind;
        if (is_one &&
            (found == total(lobby) || pace(pending, now) < pace(&lobby->connections[found], now)))
            found = i;
    }
    return found;
}

static size_t oldest(const struct lobby *lobby, enum pending_kind kind)
{
    size_t i = 0;
    while (lobby->connections[i].kind != kind)
        i++;
    return i;
}

static void make_room(struct lobby *lobby, enum pending_kind kind)
{
    if (lobby->counts[kind] < lobby->most)
        return;
    bool is_answer = kind == PENDING_ANSWER;
    cut(lobby, is_answer ? slowest(lobby, kind, false) : oldest(lobby, kind), CROWDED);
}

void lobby_thin(struct lobby *lobby)
{
    size_t i;
    while (spool_is_nearly_full(lobby->options->spool) &&
           (i = slowest(lobby, PENDING_REQUEST, true)) < total(lobby))
        cut(lobby, i, SPOOL_FULL);
}

/* Waiting ---------------------------------------------------------------------------------------
 */

void lobby_add(struct lobby *lobby, const struct pending *pending)
{
    static const uint32_t events[] = {[PENDING_REQUEST] = EPOLLIN, [PENDING_ANSWER] = EPOLLOUT};
    struct epoll_event event = {.events = events[pending->kind], .data.fd = pending->connection};
    make_room(lobby, pending->kind);
    size_t i = total(lobby);
    lobby->connections[i] = *pending;
    if (pending->kind == PENDING_ANSWER)
        (void)output_has_moved(&lobby->connections[i].output);
    lobby->counts[pending->kind]++;
    if (epoll_ctl(lobby->ready[pending->kind], EPOLL_CTL_ADD, pending->connection, &event) != 0)
        show_out(lobby, i);
}

/* One of a kind that has something to do; the number of all where there is none. */
static size_t next_ready(const struct lobby *lobby, enum pending_kind kind)
{
    struct epoll_event event;
    if (lobby->counts[kind] == 0 || epoll_wait(lobby->ready[kind], &event, 1, 0) != 1)
        return total(lobby);
    size_t i = 0;
    while (lobby->connections[i].connection != event.data.fd)
        i++;
    return i;
}

bool lobby_take(struct lobby *lobby, struct pending *pending)
{
    size_t i = next_ready(lobby, PENDING_REQUEST);
    if (i == total(lobby))
        return false;
    struct pending *ready = &lobby->connections[i];
    if (input_read(&ready->input, ready->connection, lobby->options) != STATUS_OK) {
        show_out(lobby, i);
        return false;
    }
    if (!input_is_whole(&ready->input))
        return false;
    *pending = leave(lobby, i);
    return true;
}

static void set_moved(struct pending *pending)
{
    pending->until = clock_milliseconds() + pending->patience;
    (void)output_has_moved(&pending->output);
}

void lobby_send(struct lobby *lobby)
{
    size_t i = next_ready(lobby, PENDING_ANSWER);
    if (i == total(lobby))
        return;
    struct pending *ready = &lobby->connections[i];
    off_t before = output_left(&ready->output);
    bool is_there = output_send(&ready->output, lobby->options->spool) == STATUS_OK;
    off_t left = output_left(&ready->output);
    if (left < before)
        set_moved(ready);
    if (is_there && left > 0)
        return;
    struct pending pending = leave(lobby, i);
    if (is_there)
        output_close(&pending.output, lobby->options->spool);
    else
        pending_close(&pending, lobby->options->spool);
}

/* A web server may take a little, and leave no room for more yet. */
static bool has_taken_more(struct pending *pending)
{
    bool has = pending->kind == PENDING_ANSWER && output_has_moved(&pending->output);
    if (has)
        set_moved(pending);
    return has;
}

void lobby_expire(struct lobby *lobby)
{
    int64_t now = clock_milliseconds();
    for (size_t i = total(lobby); i-- > 0;) {
        struct pending *pending = &lobby->connections[i];
        if (pending->until <= now && !has_taken_more(pending))
            cut(lobby, i, LATE);
    }
}

int64_t lobby_wants(struct lobby *lobby)
{
    if (lobby_is_empty(lobby))
        return -1;
    int64_t now = clock_milliseconds(), until = INT64_MAX;
    for (size_t i = 0; i < total(lobby); i++) {
        struct pending *pending = &lobby->connections[i];
        if (pending_file(pending)->is_open && now + SPOOL_TICK < until)
            until = now + SPOOL_TICK;
        if (pending->until < until)
            until = pending->until;
    }
    return until > now ? until - now : 0;
}

void lobby_hurry_silent(struct lobby *lobby, int64_t patience)
{
    int64_t until = clock_milliseconds() + patience;
    for (size_t i = 0; i < total(lobby); i++) {
        struct pending *pending = &lobby->connections[i];
        if (pending->kind == PENDING_REQUEST && input_is_empty(&pending->input) &&
            pending->until > until)
            pending->until = until;
    }
}

void lobby_close(struct lobby *lobby)
{
    while (!lobby_is_empty(lobby))
        show_out(lobby, 0);
    for (size_t kind = 0; kind < PENDING_KINDS; kind++)
        close(lobby->ready[kind]);
}
