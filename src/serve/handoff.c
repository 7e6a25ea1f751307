#include "serve/handoff.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

enum { CONNECTION, SAVED, DESCRIPTORS };
enum { STRUCTURE, RECORDS, PARTS };

/* A message is the structure, whose pointers and descriptors mean nothing to the receiver, and the
 * records of its input. The descriptors come beside it. */
union control {
    struct cmsghdr header; /* for its alignment */
    char space[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
};

static bool has_file(const struct pending *pending)
{
    return pending->kind == PENDING_ANSWER || pending->input.file.is_open;
}

static size_t size_of(const struct pending *pending)
{
    return (has_file(pending) ? DESCRIPTORS : SAVED) * sizeof(int);
}

static bool send_message(int socket, const struct pending *pending, const int *descriptors,
                         int flags)
{
    size_t size = size_of(pending), length = pending->input.records.length;
    struct iovec parts[PARTS] = {
        [STRUCTURE] = {.iov_base = (void *)(uintptr_t)pending, .iov_len = sizeof *pending},
        [RECORDS] = {.iov_base = pending->input.records.data, .iov_len = length}};
    union control control = {
        .header = {.cmsg_len = CMSG_LEN(size), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct msghdr message = {.msg_iov = parts,
                             .msg_iovlen = PARTS,
                             .msg_control = &control,
                             .msg_controllen = CMSG_SPACE(size)};
    memcpy(CMSG_DATA(&control.header), descriptors, size);
    ssize_t sent;
    do
        sent = sendmsg(socket, &message, flags | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)(sizeof *pending + length);
}

static void forget(struct pending *pending, const struct spool *spool)
{
    spool_send(spool, pending_file(pending));
    input_free(&pending->input, spool);
    pending->permit = (struct permit){0};
    close(pending->connection);
    pending->connection = -1;
}

bool handoff_send(int socket, struct pending *pending, const struct spool *spool, int flags)
{
    if (pending->kind != PENDING_ANSWER && !input_settle(&pending->input, spool))
        return false;
    const int descriptors[DESCRIPTORS] = {pending->connection, pending_file(pending)->descriptor};
    if (!send_message(socket, pending, descriptors, flags))
        return false;
    forget(pending, spool);
    return true;
}

/* The kernel leaves descriptors out for which the process has no room. */
static void take_descriptors(struct msghdr *message, int *descriptors)
{
    const struct cmsghdr *header = CMSG_FIRSTHDR(message);
    if (header != NULL)
        memcpy(descriptors, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
}

/* The number of bytes, as recvmsg(2); the descriptors are -1 where none came. */
static ssize_t receive_message(int socket, struct pending *pending, char *records, int *descriptors,
                               int flags)
{
    struct iovec parts[PARTS] = {[STRUCTURE] = {.iov_base = pending, .iov_len = sizeof *pending},
                                 [RECORDS] = {.iov_base = records, .iov_len = INPUT_MEMORY_MOST}};
    union control control;
    struct msghdr message = {.msg_iov = parts,
                             .msg_iovlen = PARTS,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t got;
    do
        got = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        take_descriptors(&message, descriptors);
    return got;
}

static void load(struct pending *pending, const struct spool *spool, const int *descriptors,
                 const char *records)
{
    pending->connection = descriptors[CONNECTION];
    if (pending->kind != PENDING_ANSWER) {
        input_adopt(&pending->input, spool, descriptors[SAVED], records);
        return;
    }
    pending->input = (struct input){0};
    pending->output.connection = descriptors[CONNECTION];
    pending->output.file.descriptor = descriptors[SAVED];
    spool_receive(spool, &pending->output.file);
}

static enum handoff_arrival lose(struct pending *received, const struct spool *spool,
                                 const int *descriptors)
{
    spool_lose(spool, pending_file(received));
    for (size_t i = 0; i < DESCRIPTORS; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
    log_error("fastcgi: a connection was lost on its way to another process");
    return HANDOFF_NONE;
}

enum handoff_arrival handoff_receive(int socket, struct pending *pending, const struct spool *spool,
                                     int flags)
{
    static char records[INPUT_MEMORY_MOST];
    struct pending received = {.connection = -1};
    int descriptors[DESCRIPTORS] = {-1, -1};
    ssize_t got = receive_message(socket, &received, records, descriptors, flags);
    if (got <= 0)
        return got == 0 ? HANDOFF_NO_MORE : HANDOFF_NONE;
    input_free(&pending->input, spool);
    if (descriptors[CONNECTION] < 0 || (has_file(&received) && descriptors[SAVED] < 0))
        return lose(&received, spool, descriptors);
    *pending = received;
    load(pending, spool, descriptors, records);
    return HANDOFF_CAME;
}
