#include "serve/passing.h"

#include <poll.h>
#include <string.h>

#include "base/clock.h"

/* All of it goes to another process, its padding, too. */
static struct handoff *new_handoff(const struct passing *passing, enum handoff_kind kind,
                                   int connection)
{
    static struct handoff handoff;
    int64_t now = clock_milliseconds();
    memset(&handoff, 0, sizeof handoff);
    handoff.kind = kind;
    handoff.connection = connection;
    handoff.since = now;
    handoff.until = now + passing->patience;
    handoff.patience = passing->patience;
    return &handoff;
}

void pass_request(const struct passing *passing, int connection, struct input *input)
{
    struct handoff *handoff = new_handoff(passing, HANDOFF_REQUEST, connection);
    handoff->input = *input;
    *input = (struct input){0};
    reception_pass(passing->reception, passing->spool, handoff);
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
    if (!reception_is_open(passing->reception)) {
        send_rest(passing, output);
        return;
    }
    struct handoff *handoff = new_handoff(passing, HANDOFF_ANSWER, output->connection);
    handoff->output = *output;
    reception_pass(passing->reception, passing->spool, handoff);
}
