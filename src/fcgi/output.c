#include "fcgi/output.h"

#include <errno.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PIECE = 3584, /* small, as the system tells of what was taken whole alone, and fits a page */
    PIECES_MOST = 256,   /* at a time, as others have something to send, too */
    RECORD_MOST = 8192,  /* bytes of a record of libfcgi */
    ROOM = 16 * 1048576, /* more than the system allows anybody */
};

/* How many bytes the web server has room for; -1 where it is gone. */
static ssize_t send_some(int connection, const char *bytes, size_t length)
{
    ssize_t sent;
    do
        sent = send(connection, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 && errno == EAGAIN ? 0 : sent;
}

off_t output_left(const struct output *output)
{
    return output->file.is_open ? output->file.length - output->taken : 0;
}

enum status output_send(struct output *output, const struct spool *spool)
{
    static char piece[PIECE];
    for (int i = 0; i < PIECES_MOST && output_left(output) > 0; i++) {
        ssize_t got = pread(output->file.descriptor, piece, sizeof piece, output->taken);
        ssize_t sent = got > 0 ? send_some(output->connection, piece, (size_t)got) : -1;
        if (sent < 0)
            return STATUS_UNAVAILABLE;
        output->taken += sent;
        if (sent < got)
            return STATUS_OK;
    }
    if (output_left(output) == 0 && spool_empty(spool, &output->file))
        output->taken = 0;
    return STATUS_OK;
}

enum status output_add(struct output *output, const struct spool *spool, const char *bytes,
                       size_t length)
{
    if (output_left(output) > 0 && output_send(output, spool) != STATUS_OK)
        return STATUS_UNAVAILABLE;
    ssize_t sent = 0;
    if (output_left(output) == 0)
        sent = send_some(output->connection, bytes, length);
    if (sent < 0)
        return STATUS_UNAVAILABLE;
    if ((size_t)sent == length)
        return STATUS_OK;
    return spool_add(spool, &output->file, bytes + sent, length - (size_t)sent);
}

bool output_has_moved(struct output *output)
{
    int before = output->queued;
    if (ioctl(output->connection, SIOCOUTQ, &output->queued) != 0)
        return false;
    return output->queued < before;
}

void output_close(struct output *output, const struct spool *spool)
{
    spool_drop(spool, &output->file);
    output->taken = 0;
    if (output->connection >= 0)
        close(output->connection);
    output->connection = -1;
}

/*
 * To nginx, a connection that just closes has come to its end, with or without END_REQUEST; a
 * record of a version that does not exist (FastCGI specification, section 3.3) is an error to every
 * web server, which then cuts its client off. Where a record was sent in part, zeros end it first.
 * The connection may be full: then it is made to hold this, too.
 */
void output_break(struct output *output, const struct spool *spool)
{
    static const char no_record[RECORD_MOST + 8];
    static const int room = ROOM;
    (void)setsockopt(output->connection, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    (void)send_some(output->connection, no_record, sizeof no_record);
    (void)shutdown(output->connection, SHUT_RDWR);
    output_close(output, spool);
}
