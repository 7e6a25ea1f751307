#include "decoder/request.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

/* The descriptors of a message; -1 behind the last. */
struct descriptors {
    int all[DECODER_DESCRIPTORS];
};

static void close_all(const struct descriptors *descriptors)
{
    for (size_t i = 0; i < DECODER_DESCRIPTORS; i++)
        if (descriptors->all[i] >= 0)
            close(descriptors->all[i]);
}

/* Receiving ------------------------------------------------------------------------------------ */

union control {
    struct cmsghdr header; /* for its alignment */
    char space[CMSG_SPACE(DECODER_DESCRIPTORS * sizeof(int))];
};

static void read_descriptors(struct msghdr *message, struct descriptors *descriptors)
{
    memset(descriptors, -1, sizeof *descriptors);
    const struct cmsghdr *header = CMSG_FIRSTHDR(message);
    if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
        memcpy(descriptors->all, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
}

/* The number of bytes, as recvmsg(2). What does not fit counts as too long. */
static ssize_t receive(int channel, struct decoder_request *request,
                       struct descriptors *descriptors)
{
    union control control;
    struct iovec content = {.iov_base = request, .iov_len = sizeof *request};
    struct msghdr message = {.msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got >= 0)
        read_descriptors(&message, descriptors);
    return got > 0 && message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ? got + 1 : got;
}

/* An empty message looks like the end of the channel. */
static bool is_left(int channel)
{
    struct pollfd polled = {.fd = channel, .events = POLLIN};
    return poll(&polled, 1, 0) > 0 && polled.revents & (POLLHUP | POLLERR);
}

/* Checking ------------------------------------------------------------------------------------- */

static bool is_file(int descriptor, struct stat *found)
{
    return descriptor >= 0 && fstat(descriptor, found) == 0 && S_ISREG(found->st_mode);
}

static bool is_socket(int descriptor)
{
    struct stat found;
    return descriptor >= 0 && fstat(descriptor, &found) == 0 && S_ISSOCK(found.st_mode);
}

static bool read_request(const struct decoder_request *received,
                         const struct descriptors *descriptors, struct request *request)
{
    struct stat input, large, small;
    const int *all = descriptors->all;
    bool is_icon = received->kind == PICTURE_ICON;
    if (received->magic != DECODER_MAGIC || (!is_icon && received->kind != PICTURE_PHOTO) ||
        !is_socket(all[DECODER_REPLY]) || !is_file(all[DECODER_INPUT], &input) ||
        !is_file(all[DECODER_LARGE], &large) ||
        (is_icon ? all[DECODER_SMALL] >= 0 : !is_file(all[DECODER_SMALL], &small)))
        return false;
    *request = (struct request){.reply = all[DECODER_REPLY],
                                .job = {.kind = (enum picture_kind)received->kind,
                                        .input = all[DECODER_INPUT],
                                        .large = all[DECODER_LARGE],
                                        .small = all[DECODER_SMALL],
                                        .length = (size_t)input.st_size}};
    return true;
}

enum request_arrival request_receive(int channel, struct request *request)
{
    struct decoder_request received;
    struct descriptors descriptors;
    ssize_t got = receive(channel, &received, &descriptors);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? REQUEST_NONE : REQUEST_NO_MORE;
    if (got == sizeof received && read_request(&received, &descriptors, request))
        return REQUEST_CAME;
    close_all(&descriptors);
    if (got == 0 && is_left(channel))
        return REQUEST_NO_MORE;
    log_warning("a message that is no job");
    return REQUEST_NONE;
}

void request_close(struct request *request)
{
    const struct descriptors descriptors = {
        {request->reply, request->job.input, request->job.large, request->job.small}};
    close_all(&descriptors);
}
