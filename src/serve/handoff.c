#include "serve/handoff.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

enum { CONNECTION, SAVED, PERMIT, DESCRIPTORS };

/* The message's content is the structure, whose pointers and descriptors mean nothing to who reads
 * it; what counts of those comes beside it. */
union control {
    struct cmsghdr header; /* for its alignment */
    char space[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
};

static size_t size_of(const struct pending *pending)
{
    return (pending->permit.is_there ? DESCRIPTORS : PERMIT) * sizeof(int);
}

static bool send_message(int socket, const struct pending *pending, const int *descriptors,
                         int flags)
{
    size_t size = size_of(pending);
    struct iovec content = {.iov_base = (void *)(uintptr_t)pending, .iov_len = sizeof *pending};
    union control control = {
        .header = {.cmsg_len = CMSG_LEN(size), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct msghdr message = {.msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = CMSG_SPACE(size)};
    memcpy(CMSG_DATA(&control.header), descriptors, size);
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, flags | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == sizeof *pending;
}

static void forget(struct pending *pending, const struct spool *spool)
{
    spool_send(spool, pending_file(pending));
    input_free(&pending->input, spool);
    turns_send(&pending->permit);
    close(pending->connection);
    pending->connection = -1;
}

static int save(struct pending *pending, const struct spool *spool)
{
    bool is_answer = pending->kind == PENDING_ANSWER;
    return is_answer ? pending->output.file.descriptor : input_save(&pending->input, spool);
}

bool handoff_send(int socket, struct pending *pending, const struct spool *spool, int flags)
{
    int descriptors[DESCRIPTORS] = {pending->connection, save(pending, spool),
                                    pending->permit.descriptor};
    bool is_sent = descriptors[SAVED] >= 0 && send_message(socket, pending, descriptors, flags);
    int error = errno;
    if (descriptors[SAVED] >= 0 && !pending_file(pending)->is_open)
        close(descriptors[SAVED]);
    if (is_sent)
        forget(pending, spool);
    errno = error;
    return is_sent;
}

/* Those of a message; where not all of them came, as there is no room for more, they are none. */
static void take_descriptors(struct msghdr *message, size_t size, int *descriptors)
{
    const struct cmsghdr *header = CMSG_FIRSTHDR(message);
    size_t came = header != NULL ? header->cmsg_len - CMSG_LEN(0) : 0;
    if (came > 0)
        memcpy(descriptors, CMSG_DATA(header), came);
    for (size_t i = 0; came != size && i < DESCRIPTORS; i++) {
        if (descriptors[i] >= 0)
            close(descriptors[i]);
        descriptors[i] = -1;
    }
}

/* The number of bytes, as recvmsg(2); the descriptors are -1 where none came. */
static ssize_t receive_message(int socket, struct pending *pending, int *descriptors, int flags)
{
    struct iovec content = {.iov_base = pending, .iov_len = sizeof *pending};
    union control control;
    struct msghdr message = {.msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t got;
    do
        got = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got == sizeof *pending)
        take_descriptors(&message, size_of(pending), descriptors);
    return got;
}

static bool load(struct pending *pending, const struct spool *spool, const int *descriptors)
{
    pending->connection = descriptors[CONNECTION];
    pending->permit.descriptor = descriptors[PERMIT];
    if (pending->kind != PENDING_ANSWER)
        return input_load(&pending->input, spool, descriptors[SAVED]);
    pending->input = (struct input){0};
    pending->output.connection = descriptors[CONNECTION];
    pending->output.file.descriptor = descriptors[SAVED];
    spool_receive(spool, &pending->output.file);
    return true;
}

enum handoff_arrival handoff_receive(int socket, struct pending *pending, const struct spool *spool,
                                     int flags)
{
    struct pending received;
    int descriptors[DESCRIPTORS] = {-1, -1, -1};
    ssize_t got = receive_message(socket, &received, descriptors, flags);
    if (got <= 0)
        return got == 0 ? HANDOFF_NO_MORE : HANDOFF_NONE;
    bool is_pending = got == sizeof received;
    input_free(&pending->input, spool);
    if (is_pending && descriptors[SAVED] >= 0) {
        *pending = received;
        if (load(pending, spool, descriptors))
            return HANDOFF_CAME;
        pending_close(pending, spool);
    } else if (is_pending) {
        spool_lose(spool, pending_file(&received));
    }
    log_error("fastcgi: a connection was lost on its way to another process");
    return HANDOFF_NONE;
}
