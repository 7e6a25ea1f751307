#include "media/decoder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "media/decoder_protocol.h"

/* Asking --------------------------------------------------------------------------------------- */

/* False when the time is over. */
static bool wait_until(int descriptor, short events, int64_t end)
{
    struct pollfd waited = {.fd = descriptor, .events = events};
    int64_t left;
    while ((left = end - clock_milliseconds()) > 0) {
        int ready = poll(&waited, 1, (int)left);
        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
    errno = ETIMEDOUT;
    return false;
}

union control {
    struct cmsghdr header; /* for its alignment */
    char space[CMSG_SPACE(DECODER_DESCRIPTORS * sizeof(int))];
};

static bool send_request(int channel, enum picture_kind kind, const int *descriptors, int64_t end)
{
    size_t count = kind == PICTURE_ICON ? DECODER_SMALL : DECODER_DESCRIPTORS;
    struct decoder_request request = {DECODER_MAGIC, (uint32_t)kind};
    struct iovec content = {.iov_base = &request, .iov_len = sizeof request};
    union control control = {.header = {.cmsg_len = CMSG_LEN(count * sizeof(int)),
                                        .cmsg_level = SOL_SOCKET,
                                        .cmsg_type = SCM_RIGHTS}};
    struct msghdr message = {.msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    memcpy(CMSG_DATA(&control.header), descriptors, count * sizeof(int));
    ssize_t sent;
    do
        sent = sendmsg(channel, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && (errno == EINTR || (errno == EAGAIN && wait_until(channel, POLLOUT, end))));
    return sent == sizeof request;
}

static bool send_job(int channel, const struct decoder_job *job, int reply, int64_t end)
{
    const int descriptors[DECODER_DESCRIPTORS] = {[DECODER_REPLY] = reply,
                                                  [DECODER_INPUT] = job->input,
                                                  [DECODER_LARGE] = job->large,
                                                  [DECODER_SMALL] = job->small};
    bool is_sent = send_request(channel, job->kind, descriptors, end);
    if (!is_sent)
        log_error("decoder: a picture cannot be sent to it: %s", strerror(errno));
    return is_sent;
}

static bool receive_reply(int socket, struct decoder_reply *reply, int64_t end)
{
    if (!wait_until(socket, POLLIN, end)) {
        log_error("decoder: no answer for %d s", DECODER_PATIENCE);
        return false;
    }
    bool is_whole = recv(socket, reply, sizeof *reply, 0) == sizeof *reply;
    if (!is_whole)
        log_error("decoder: it ended without an answer");
    return is_whole;
}

/* What came of it ------------------------------------------------------------------------------ */

static struct camera_note note_of(const struct decoder_reply *reply)
{
    struct camera_note note = {.has_place = (reply->has & DECODER_HAS_PLACE) != 0,
                               .has_time = (reply->has & DECODER_HAS_TIME) != 0,
                               .has_offset = (reply->has & DECODER_HAS_OFFSET) != 0,
                               .lat = reply->lat,
                               .lng = reply->lng,
                               .offset = reply->offset};
    memcpy(note.time, reply->time, sizeof note.time);
    camera_note_check(&note);
    return note;
}

static bool is_side(int32_t pixels, enum picture_kind kind)
{
    return kind == PICTURE_ICON ? pixels == PICTURE_ICON_SIDE
                                : pixels > 0 && pixels <= PICTURE_LARGE;
}

/* A picture may have taken the decoder over. */
static enum status read_reply(const struct decoder_reply *reply, enum picture_kind kind,
                              struct picture *picture)
{
    switch (reply->outcome) {
    case DECODER_UNREADABLE:
        return STATUS_PHOTO_NOT_READABLE;
    case DECODER_TOO_LARGE:
        return STATUS_PICTURE_TOO_LARGE;
    case DECODER_NOT_WRITTEN:
        log_error("decoder: the results of a picture cannot be written");
        return STATUS_UNAVAILABLE;
    case DECODER_MADE:
        if (reply->format < PICTURE_FORMATS && is_side(reply->width, kind) &&
            is_side(reply->height, kind)) {
            *picture = (struct picture){(enum picture_format)reply->format, reply->width,
                                        reply->height, note_of(reply)};
            return STATUS_OK;
        }
    }
    log_error("decoder: an answer that makes no sense");
    return STATUS_UNAVAILABLE;
}

/* A picture that takes its process over cannot change what was sent, which its name is the digest
 * of by then. -1 with errno. */
static int open_for_reading(int descriptor)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static enum status ask(int channel, const struct decoder_job *job, struct picture *picture)
{
    enum { OURS, THEIRS };
    int sockets[2];
    struct decoder_reply reply;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
        log_error("decoder: socketpair: %s", strerror(errno));
        return STATUS_UNAVAILABLE;
    }
    int64_t end = clock_milliseconds() + DECODER_PATIENCE * 1000;
    bool is_sent = send_job(channel, job, sockets[THEIRS], end);
    close(sockets[THEIRS]);
    bool is_answered = is_sent && receive_reply(sockets[OURS], &reply, end);
    close(sockets[OURS]);
    return is_answered ? read_reply(&reply, job->kind, picture) : STATUS_UNAVAILABLE;
}

enum status decoder_run(int channel, const struct decoder_job *job, struct picture *picture)
{
    struct decoder_job own = *job;
    own.input = open_for_reading(job->input);
    if (own.input < 0) {
        log_error("decoder: a picture cannot be opened: %s", strerror(errno));
        return STATUS_UNAVAILABLE;
    }
    enum status status = ask(channel, &own, picture);
    close(own.input);
    return status;
}

/* Being it ------------------------------------------------------------------------------------- */

static void execute(const char *path, enum log_level level)
{
    char number[16];
    snprintf(number, sizeof number, "%d", (int)level);
    execl(path, "mapdiary-decoder", number, (char *)NULL);
}

/* Where the programs lie that were built and not installed. */
static void execute_sibling(enum log_level level)
{
    static const char name[] = "mapdiary-decoder";
    char path[PATH_MAX + sizeof name];
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    while (length > 0 && path[length - 1] != '/')
        length--;
    memcpy(path + (length > 0 ? length : 0), name, sizeof name);
    if (length > 0)
        execute(path, level);
}

void decoder_become(int channel, enum log_level level)
{
    if (dup2(channel, STDIN_FILENO) == STDIN_FILENO) {
        execute_sibling(level);
        execute(MAPDIARY_DECODER_PROGRAM, level);
    }
    log_error("%s: %s", MAPDIARY_DECODER_PROGRAM, strerror(errno));
}

/* Descriptors that nobody receives are closed with the message. */
void decoder_refuse_all(int channel)
{
    struct decoder_request request;
    while (recv(channel, &request, sizeof request, MSG_DONTWAIT) > 0)
        continue;
}
