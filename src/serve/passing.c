#include "serve/passing.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/log.h"

/* All of it goes to another process, its padding, too. */
static struct pending *new_pending(const struct passing *passing, enum pending_kind kind,
                                   int connection)
{
    static struct pending pending;
    int64_t now = clock_milliseconds();
    memset(&pending, 0, sizeof pending);
    pending.kind = kind;
    pending.connection = connection;
    pending.since = now;
    pending.until = now + passing->patience;
    pending.patience = passing->patience;
    return &pending;
}

/* The kernel lets few messages wait in a channel (net.unix.max_dgram_qlen, often 10). The waiter
 * takes them at once unless it hangs, and a waiter that hangs is replaced. */
static bool send_when_there_is_room(const struct passing *passing, struct pending *pending)
{
    enum { LONGEST = 1000 };
    struct pollfd room = {.fd = passing->channels->to_waiter.in, .events = POLLOUT};
    do {
        if (handoff_send(room.fd, pending, passing->spool, MSG_DONTWAIT))
            return true;
    } while (errno == EAGAIN && poll(&room, 1, LONGEST) > 0);
    return false;
}

static void pass(const struct passing *passing, struct pending *pending)
{
    if (send_when_there_is_room(passing, pending))
        return;
    log_warning("fastcgi: a connection cannot be passed on: %s", strerror(errno));
    pending_close(pending, passing->spool);
}

static void pass_input(const struct passing *passing, struct pending *pending, struct input *input)
{
    pending->input = *input;
    *input = (struct input){0};
    pass(passing, pending);
}

void pass_request(const struct passing *passing, int connection, struct input *input)
{
    pass_input(passing, new_pending(passing, PENDING_REQUEST, connection), input);
}

void pass_waiting(const struct passing *passing, int connection, struct input *input,
                  const struct asker *asker)
{
    struct pending *pending = new_pending(passing, PENDING_PERMIT, connection);
    pending->until = pending->since + permits_patience(asker->class);
    pending->asker = *asker;
    pass_input(passing, pending, input);
}

static void send_rest(const struct passing *passing, struct output *output)
{
    struct pollfd room = {.fd = output->connection, .events = POLLOUT};
    while (output_left(output) > 0 && poll(&room, 1, (int)passing->patience) > 0 &&
           output_send(output, passing->spool) == STATUS_OK)
        continue;
    if (output_left(output) > 0)
        output_break(output, passing->spool);
    else
        output_close(output, passing->spool);
}

void pass_answer(const struct passing *passing, struct output *output)
{
    if (passing->channels->to_waiter.in < 0) {
        send_rest(passing, output);
        return;
    }
    struct pending *pending = new_pending(passing, PENDING_ANSWER, output->connection);
    pending->output = *output;
    pass(passing, pending);
}

void pass_no_more(const struct passing *passing)
{
    channel_close_end(&passing->channels->to_waiter.in);
}

enum handoff_arrival passing_take(const struct passing *passing, struct pending *pending, int flags)
{
    return handoff_receive(passing->channels->to_workers.out, pending, passing->spool, flags);
}
