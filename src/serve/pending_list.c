#include "serve/pending_list.h"

#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

/* Milliseconds between two looks at how full the spool is. */
enum { SPOOL_TICK = 100 };

static size_t total(const struct pending_list *list)
{
    return list->counts[PENDING_REQUEST] + list->counts[PENDING_PERMIT] +
           list->counts[PENDING_ANSWER];
}

bool pending_list_is_empty(const struct pending_list *list)
{
    return total(list) == 0;
}

bool pending_list_open(struct pending_list *list, const struct input_options *options,
                       struct permits *permits, size_t most)
{
    bool is_open = true;
    list->options = options;
    list->permits = permits;
    list->most = most < PENDING_LIST_MOST ? most : PENDING_LIST_MOST;
    for (size_t kind = 0; kind < PENDING_KINDS; kind++) {
        list->counts[kind] = 0;
        list->ready[kind] = epoll_create1(EPOLL_CLOEXEC);
        is_open = is_open && list->ready[kind] >= 0;
    }
    return is_open;
}

/* Going ---------------------------------------------------------------------------------------- */

/* The connection as it was; its slot goes to those who came later. */
static struct pending take_out(struct pending_list *list, size_t i)
{
    struct pending pending = list->connections[i];
    list->counts[pending.kind]--;
    size_t behind = total(list) - i;
    memmove(&list->connections[i], &list->connections[i + 1], behind * sizeof *list->connections);
    epoll_ctl(list->ready[pending.kind], EPOLL_CTL_DEL, pending.connection, NULL);
    return pending;
}

static void close_one(struct pending_list *list, size_t i)
{
    struct pending pending = take_out(list, i);
    pending_close(&pending, list->options->spool);
}

enum reason { CROWDED, SPOOL_FULL, LATE };

static void cut(struct pending_list *list, size_t i, enum reason reason)
{
    static const char *const said[PENDING_KINDS][LATE + 1] = {
        {"too many connections wait with a request that is not whole",
         "a connection is closed whose request is slow, as spool_size is reached",
         "a connection is closed whose request did not come in time"},
        {"too many requests wait for a permit",
         "a connection is closed whose request waits for a permit, as spool_size is reached",
         "a connection is closed whose request got no permit"},
        {"too many connections wait with an answer that is not taken",
         "a connection is closed whose answer is taken slowly, as spool_size is reached",
         "a connection is closed whose answer was not taken in time"},
    };
    log_warning("fastcgi: %s", said[list->connections[i].kind][reason]);
    close_one(list, i);
}

/* Bytes of it that have come or gone in a millisecond, on the average; who has just begun is not
 * slow. */
static double pace(const struct pending *pending, int64_t now)
{
    enum { CREDIT = 65536 };
    double bytes = pending->kind == PENDING_ANSWER ? (double)pending->output.taken
                                                   : (double)pending->input.received;
    return ((double)CREDIT + bytes) / (double)(now - pending->since + 1);
}

/* Of those of a kind, or of any that has something in the spool; the number of all where there is
 * none. */
static size_t slowest(struct pending_list *list, enum pending_kind kind, bool is_any)
{
    int64_t now = clock_milliseconds();
    size_t found = total(list);
    for (size_t i = 0; i < total(list); i++) {
        struct pending *pending = &list->connections[i];
        bool is_one = is_any ? pending_file(pending)->is_open : pending->kind == kind;
        if (is_one &&
            (found == total(list) || pace(pending, now) < pace(&list->connections[found], now)))
            found = i;
    }
    return found;
}

/* The requests that wait for a permit, in the order in which they came. */
struct waiting {
    size_t count;
    const struct asker *askers[PENDING_LIST_MOST];
    size_t indexes[PENDING_LIST_MOST];
};

static void find_waiting(const struct pending_list *list, struct waiting *waiting)
{
    waiting->count = 0;
    for (size_t i = 0; i < total(list); i++) {
        if (list->connections[i].kind != PENDING_PERMIT)
            continue;
        waiting->askers[waiting->count] = &list->connections[i].asker;
        waiting->indexes[waiting->count++] = i;
    }
}

/* A worker refuses it. Those whose time is up already are still here. */
static void refuse_last(struct pending_list *list)
{
    struct waiting waiting;
    find_waiting(list, &waiting);
    size_t last = permits_last(list->permits, waiting.askers, waiting.count);
    list->connections[waiting.indexes[last]].until = 0;
}

static void make_room(struct pending_list *list, enum pending_kind kind)
{
    if (list->counts[kind] >= list->most)
        cut(list, slowest(list, kind, false), CROWDED);
    else if (kind == PENDING_PERMIT && list->counts[kind] + 1 == list->most)
        refuse_last(list);
}

void pending_list_thin(struct pending_list *list)
{
    size_t i;
    while (spool_wants_room(list->options->spool) &&
           (i = slowest(list, PENDING_REQUEST, true)) < total(list))
        cut(list, i, SPOOL_FULL);
}

/* Waiting -------------------------------------------------------------------------------------- */

void pending_list_add(struct pending_list *list, const struct pending *pending)
{
    static const uint32_t events[] = {
        [PENDING_REQUEST] = EPOLLIN, [PENDING_PERMIT] = EPOLLRDHUP, [PENDING_ANSWER] = EPOLLOUT};
    struct epoll_event event = {.events = events[pending->kind], .data.fd = pending->connection};
    make_room(list, pending->kind);
    size_t i = total(list);
    list->connections[i] = *pending;
    if (pending->kind == PENDING_ANSWER)
        (void)output_has_moved(&list->connections[i].output);
    list->counts[pending->kind]++;
    if (epoll_ctl(list->ready[pending->kind], EPOLL_CTL_ADD, pending->connection, &event) != 0)
        close_one(list, i);
}

/* One of a kind that has something to do; the number of all where there is none. */
static size_t next_ready(const struct pending_list *list, enum pending_kind kind)
{
    struct epoll_event event;
    if (list->counts[kind] == 0 || epoll_wait(list->ready[kind], &event, 1, 0) != 1)
        return total(list);
    size_t i = 0;
    while (list->connections[i].connection != event.data.fd)
        i++;
    return i;
}

/* Who says something has as long again as somebody who stalls, but in all not more than a
 * millisecond for each byte beyond that: a byte now and then does not keep a connection. */
static void set_heard(struct pending *pending)
{
    int64_t next = clock_milliseconds() + pending->patience;
    int64_t last = pending->since + pending->patience + (int64_t)pending->input.received;
    pending->until = next < last ? next : last;
}

bool pending_list_take(struct pending_list *list, struct pending *pending)
{
    size_t i = next_ready(list, PENDING_REQUEST);
    if (i == total(list))
        return false;
    struct pending *ready = &list->connections[i];
    if (input_read(&ready->input, ready->connection, list->options) != STATUS_OK) {
        close_one(list, i);
        return false;
    }
    set_heard(ready);
    if (!input_is_whole(&ready->input))
        return false;
    *pending = take_out(list, i);
    return true;
}

static size_t next_late(const struct waiting *waiting, const struct pending_list *list)
{
    int64_t now = clock_milliseconds();
    size_t i = 0;
    while (i < waiting->count && list->connections[waiting->indexes[i]].until > now)
        i++;
    return i;
}

/* A request that is late takes no permit from those that may still wait. */
bool pending_list_take_permit(struct pending_list *list, struct pending *pending)
{
    struct waiting waiting;
    struct permit permit = {0};
    if (list->counts[PENDING_PERMIT] == 0 && !list->is_awaiting)
        return false;
    list->is_awaiting = list->counts[PENDING_PERMIT] > 0;
    find_waiting(list, &waiting);
    size_t i = next_late(&waiting, list);
    if (i == waiting.count)
        i = permits_choose(list->permits, waiting.askers, waiting.count, &permit);
    if (i == waiting.count)
        return false;
    *pending = take_out(list, waiting.indexes[i]);
    pending->permit = permit;
    return true;
}

void pending_list_drop(struct pending_list *list)
{
    size_t i = next_ready(list, PENDING_PERMIT);
    if (i < total(list))
        close_one(list, i);
}

static void set_moved(struct pending *pending)
{
    pending->until = clock_milliseconds() + pending->patience;
    (void)output_has_moved(&pending->output);
}

void pending_list_send(struct pending_list *list)
{
    size_t i = next_ready(list, PENDING_ANSWER);
    if (i == total(list))
        return;
    struct pending *ready = &list->connections[i];
    off_t before = output_left(&ready->output);
    bool is_there = output_send(&ready->output, list->options->spool) == STATUS_OK;
    off_t left = output_left(&ready->output);
    if (left < before)
        set_moved(ready);
    if (is_there && left > 0)
        return;
    struct pending pending = take_out(list, i);
    if (is_there)
        output_close(&pending.output, list->options->spool);
    else
        pending_close(&pending, list->options->spool);
}

/* A web server may take a little, and leave no room for more yet. */
static bool has_taken_more(struct pending *pending)
{
    bool has = pending->kind == PENDING_ANSWER && output_has_moved(&pending->output);
    if (has)
        set_moved(pending);
    return has;
}

void pending_list_expire(struct pending_list *list)
{
    int64_t now = clock_milliseconds();
    for (size_t i = total(list); i-- > 0;) {
        struct pending *pending = &list->connections[i];
        if (pending->kind != PENDING_PERMIT && pending->until <= now && !has_taken_more(pending))
            cut(list, i, LATE);
    }
}

/* A request that got no permit in time is still here only while no worker has room for it. */
static int64_t wants_at(struct pending *pending, int64_t now)
{
    if (pending->kind == PENDING_PERMIT && pending->until <= now)
        return INT64_MAX;
    bool looks = pending_file(pending)->is_open && now + SPOOL_TICK < pending->until;
    return looks ? now + SPOOL_TICK : pending->until;
}

int64_t pending_list_wants(struct pending_list *list)
{
    if (pending_list_is_empty(list))
        return -1;
    int64_t now = clock_milliseconds(), until = INT64_MAX;
    for (size_t i = 0; i < total(list); i++) {
        int64_t wants = wants_at(&list->connections[i], now);
        until = wants < until ? wants : until;
    }
    if (until == INT64_MAX)
        return -1;
    return until > now ? until - now : 0;
}

void pending_list_hurry_silent(struct pending_list *list, int64_t patience)
{
    int64_t until = clock_milliseconds() + patience;
    for (size_t i = 0; i < total(list); i++) {
        struct pending *pending = &list->connections[i];
        if (pending->kind == PENDING_REQUEST && input_is_empty(&pending->input) &&
            pending->until > until)
            pending->until = until;
    }
}

void pending_list_close(struct pending_list *list)
{
    while (!pending_list_is_empty(list))
        close_one(list, 0);
    for (size_t kind = 0; kind < PENDING_KINDS; kind++)
        close(list->ready[kind]);
}
