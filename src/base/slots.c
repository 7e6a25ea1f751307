#include "base/slots.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"

int slots_open(void)
{
    int descriptor = memfd_create("slots", MFD_CLOEXEC);
    if (descriptor < 0)
        log_error("memfd_create: %s", strerror(errno));
    return descriptor;
}

static bool change(int descriptor, int command, short type, int first, int count)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = first, .l_len = count};
    return fcntl(descriptor, command, &lock) == 0;
}

static bool set_locks(int descriptor, short type, int first, int count)
{
    return change(descriptor, F_SETLK, type, first, count);
}

int slots_take(int descriptor, int first, int count)
{
    for (int slot = first; slot < first + count; slot++)
        if (set_locks(descriptor, F_WRLCK, slot, 1))
            return slot;
    return -1;
}

void slots_enter(int descriptor, int slot)
{
    while (!change(descriptor, F_SETLKW, F_WRLCK, slot, 1) && errno == EINTR)
        ;
}

bool slots_is_taken(int descriptor, int slot)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = slot, .l_len = 1};
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void slots_leave(int descriptor, int slot)
{
    (void)set_locks(descriptor, F_UNLCK, slot, 1);
}

/* A length of 0 is up to the end, wherever that is. */
void slots_leave_all(int descriptor)
{
    (void)set_locks(descriptor, F_UNLCK, 0, 0);
}
