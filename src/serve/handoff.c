#include "serve/handoff.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

enum { CONNECTION, SAVED, DESCRIPTORS };

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

struct spool_file *handoff_file(struct handoff *handoff)
{
    return handoff->kind == HANDOFF_ANSWER ? &handoff->output.file : &handoff->input.file;
}

static void forget(struct handoff *handoff, const struct spool *spool)
{
    spool_send(spool, handoff_file(handoff));
    input_free(&handoff->input, spool);
    close(handoff->connection);
    handoff->connection = -1;
}

static int save(struct handoff *handoff, const struct spool *spool)
{
    bool is_answer = handoff->kind == HANDOFF_ANSWER;
    return is_answer ? handoff->output.file.descriptor : input_save(&handoff->input, spool);
}

bool handoff_send(int socket, struct handoff *handoff, const struct spool *spool, int flags)
{
    int descriptors[DESCRIPTORS] = {handoff->connection, save(handoff, spool)};
    bool is_sent = descriptors[SAVED] >= 0 && send_message(socket, handoff, descriptors, flags);
    int error = errno;
    if (descriptors[SAVED] >= 0 && !handoff_file(handoff)->is_open)
        close(descriptors[SAVED]);
    if (is_sent)
        forget(handoff, spool);
    errno = error;
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

static bool load(struct handoff *handoff, const struct spool *spool, const int *descriptors)
{
    handoff->connection = descriptors[CONNECTION];
    if (handoff->kind == HANDOFF_REQUEST)
        return input_load(&handoff->input, spool, descriptors[SAVED]);
    handoff->input = (struct input){0};
    handoff->output.connection = descriptors[CONNECTION];
    handoff->output.file.descriptor = descriptors[SAVED];
    spool_receive(spool, &handoff->output.file);
    return true;
}

enum handoff_arrival handoff_receive(int socket, struct handoff *handoff, const struct spool *spool,
                                     int flags)
{
    struct handoff received;
    int descriptors[DESCRIPTORS] = {-1, -1};
    ssize_t got = receive_message(socket, &received, descriptors, flags);
    if (got <= 0)
        return got == 0 ? HANDOFF_NO_MORE : HANDOFF_NONE;
    bool is_handoff = got == sizeof received;
    input_free(&handoff->input, spool);
    if (is_handoff && descriptors[SAVED] >= 0) {
        *handoff = received;
        if (load(handoff, spool, descriptors))
            return HANDOFF_CAME;
        handoff_drop(handoff, spool);
    } else if (is_handoff) {
        spool_lose(spool, handoff_file(&received));
    }
    log_error("fastcgi: a connection was lost on its way to another process");
    return HANDOFF_NONE;
}

void handoff_drop(struct handoff *handoff, const struct spool *spool)
{
    if (handoff->kind == HANDOFF_ANSWER)
        output_break(&handoff->output, spool);
    else if (handoff->connection >= 0)
        close(handoff->connection);
    input_free(&handoff->input, spool);
    handoff->connection = -1;
}
