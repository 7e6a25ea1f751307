#include "pool/guest.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

enum { CONNECTION, INTAKE, DESCRIPTORS };

/* The message's content is the time limit; what counts comes beside it. */
union control {
    struct cmsghdr header; /* for its alignment */
    char space[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
};

static bool send_descriptors(int socket, const int *descriptors, int64_t until, int flags)
{
    struct iovec content = {.iov_base = &until, .iov_len = sizeof until};
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
    return sent == sizeof until;
}

bool guest_send(int socket, const struct guest *guest, int flags)
{
    int descriptors[DESCRIPTORS] = {guest->connection, intake_save(&guest->intake)};
    bool sent =
        descriptors[INTAKE] >= 0 && send_descriptors(socket, descriptors, guest->until, flags);
    if (!sent)
        log_warning("fastcgi: a connection cannot be passed on: %s", strerror(errno));
    if (descriptors[INTAKE] >= 0)
        close(descriptors[INTAKE]);
    return sent;
}

/* The number of bytes, as recvmsg(2); the descriptors are -1 where none came. */
static ssize_t receive_descriptors(int socket, int *descriptors, int64_t *until, int flags)
{
    struct iovec content = {.iov_base = until, .iov_len = sizeof *until};
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

enum guest_arrival guest_receive(int socket, struct guest *guest, int flags)
{
    int descriptors[DESCRIPTORS] = {-1, -1};
    ssize_t got = receive_descriptors(socket, descriptors, &guest->until, flags);
    if (got <= 0)
        return got == 0 ? GUEST_NO_MORE : GUEST_NONE;
    guest->connection = descriptors[CONNECTION];
    bool loaded = descriptors[INTAKE] >= 0 && intake_load(&guest->intake, descriptors[INTAKE]);
    if (descriptors[INTAKE] >= 0)
        close(descriptors[INTAKE]);
    if (loaded)
        return GUEST_CAME;
    log_error("fastcgi: a connection was lost on its way to another process");
    guest_dismiss(guest);
    return GUEST_NONE;
}

void guest_dismiss(struct guest *guest)
{
    intake_free(&guest->intake);
    if (guest->connection >= 0)
        close(guest->connection);
    guest->connection = -1;
}
