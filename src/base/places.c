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

static bool set_lock(int descriptor, int place, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
    return fcntl(descriptor, F_SETLK, &lock) == 0;
}

int places_take(int descriptor, int first, int count)
{
    for (int place = first; place < first + count; place++)
        if (set_lock(descriptor, place, F_WRLCK))
            return place;
    return -1;
}

bool places_is_taken(int descriptor, int place)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void places_leave(int descriptor, int place)
{
    (void)set_lock(descriptor, place, F_UNLCK);
}
