#include "pool/handoff.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

enum { CONNECTION, RECORDS, DESCRIPTORS };

/* The message's content is the structure, whose pointers and descriptors mean nothing to who reads
 * it; what counts of those comes beside it. */
union control {
    struct cmsghdr header; /* for its alignment */
    char space[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
};

static bool send_message(int socket, const struct handoff *handoff, const int *descriptors,
                         int flags)
{
    struct iovec content = {.iov_base = (void *)(uintptr_t)handoff, .iov_len = sizeof *handoff};
    union control control = {.header = {.cmsg_len = CMSG_LEN(DESCRIPTORS * sizeof(int)),
                                        .cmsg_level = SOL_SOCKET,
                                        .cmsg_type = SCM_RIGHTS}};
    struct msghdr message = {.msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    memcpy(CMSG_DATA(&control.header), descriptors, DESCRIPTORS * sizeof(int));
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, flags | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == sizeof *handoff;
}

static void forget(struct handoff *handoff, const struct spool *spool)
{
    spool_send(spool, &handoff->input.file);
    input_free(&handoff->input, spool);
    close(handoff->connection);
    handoff->connection = -1;
}

bool handoff_send(int socket, struct handoff *handoff, const struct spool *spool, int flags)
{
    int descriptors[DESCRIPTORS] = {handoff->connection, input_save(&handoff->input, spool)};
    bool is_saved = descriptors[RECORDS] >= 0;
    bool is_sent = is_saved && send_message(socket, handoff, descriptors, flags);
    if (is_saved && !is_sent)
        log_warning("fastcgi: a connection cannot be passed on: %s", strerror(errno));
    if (is_saved && !handoff->input.file.is_open)
        close(descriptors[RECORDS]);
    if (is_sent)
        forget(handoff, spool);
    return is_sent;
}

/* The number of bytes, as recvmsg(2); the descriptors are -1 where none came. */
static ssize_t receive_message(int socket, struct handoff *handoff, int *descriptors, int flags)
{
    struct iovec content = {.iov_base = handoff, .iov_len = sizeof *handoff};
    union control control;
    struct msghdr message = {.msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t got;
    do
        got = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    const struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header != NULL && header->cmsg_len == CMSG_LEN(DESCRIPTORS * sizeof(int)))
        memcpy(descriptors, CMSG_DATA(header), DESCRIPTORS * sizeof(int));
    return got;
}

enum handoff_arrival handoff_receive(int socket, struct handoff *handoff, const struct spool *spool,
                                     int flags)
{
    struct handoff received;
    int descriptors[DESCRIPTORS] = {-1, -1};
    ssize_t got = receive_message(socket, &received, descriptors, flags);
    if (got <= 0)
        return got == 0 ? HANDOFF_NO_MORE : HANDOFF_NONE;
    input_free(&handoff->input, spool);
    if (got == sizeof received && descriptors[RECORDS] >= 0) {
        *handoff = received;
        handoff->connection = descriptors[CONNECTION];
        if (input_load(&handoff->input, spool, descriptors[RECORDS]))
            return HANDOFF_CAME;
        handoff_drop(handoff, spool);
    }
    log_error("fastcgi: a connection was lost on its way to another process");
    return HANDOFF_NONE;
}

void handoff_drop(struct handoff *handoff, const struct spool *spool)
{
    input_free(&handoff->input, spool);
    if (handoff->connection >= 0)
        close(handoff->connection);
    handoff->connection = -1;
}
