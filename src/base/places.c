#include "base/places.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"

int places_open(void)
{
    int descriptor = memfd_create("places", MFD_CLOEXEC);
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

int places_take(int descriptor, int first, int count)
{
    for (int place = first; place < first + count; place++)
        if (set_locks(descriptor, F_WRLCK, place, 1))
            return place;
    return -1;
}

void places_enter(int descriptor, int place)
{
    while (!change(descriptor, F_SETLKW, F_WRLCK, place, 1) && errno == EINTR)
        ;
}

bool places_is_taken(int descriptor, int place)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void places_leave(int descriptor, int place)
{
    (void)set_locks(descriptor, F_UNLCK, place, 1);
}

/* A length of 0 is up to the end, wherever that is. */
void places_leave_all(int descriptor)
{
    (void)set_locks(descriptor, F_UNLCK, 0, 0);
}
