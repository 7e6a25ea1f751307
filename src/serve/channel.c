#include "serve/channel.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

void channel_close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

static bool open_channel(struct channel *channel)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    *channel = (struct channel){.in = ends[0], .out = ends[1]};
    return true;
}

bool channels_open(struct channels *channels)
{
    *channels = (struct channels){{-1, -1}, {-1, -1}, {-1, -1}};
    if (open_channel(&channels->to_waiter) && open_channel(&channels->to_workers) &&
        open_channel(&channels->to_decoder))
        return true;
    log_error("socketpair: %s", strerror(errno));
    channels_close(channels);
    return false;
}

static void close_channel(struct channel *channel)
{
    channel_close_end(&channel->in);
    channel_close_end(&channel->out);
}

void channels_close(struct channels *channels)
{
    close_channel(&channels->to_waiter);
    close_channel(&channels->to_workers);
    close_channel(&channels->to_decoder);
}

void channels_keep_workers(struct channels *channels)
{
    channel_close_end(&channels->to_waiter.out);
    channel_close_end(&channels->to_workers.in);
    channel_close_end(&channels->to_decoder.out);
}

void channels_keep_waiters(struct channels *channels)
{
    channel_close_end(&channels->to_waiter.in);
    channel_close_end(&channels->to_workers.out);
    close_channel(&channels->to_decoder);
}

void channels_keep_decoder(struct channels *channels)
{
    close_channel(&channels->to_waiter);
    close_channel(&channels->to_workers);
    channel_close_end(&channels->to_decoder.in);
}
