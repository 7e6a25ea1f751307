#include "serve/turns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"

static bool change(int descriptor, short type, off_t first, off_t count)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = first, .l_len = count};
    return fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

/* Locks are of an open file, whoever has descriptors of it; so each permit opens the file anew. */
static int open_again(int turns)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", turns);
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        log_error("%s: %s", path, strerror(errno));
    return descriptor;
}

int turns_open(void)
{
    struct permit permit = {0};
    int turns = memfd_create("turns", MFD_CLOEXEC);
    if (turns < 0)
        log_error("memfd_create: %s", strerror(errno));
    if (turns < 0 || turns_take(turns, 1, &permit)) {
        turns_leave(&permit);
        return turns;
    }
    close(turns);
    return -1;
}

bool turns_take(int turns, size_t workers, struct permit *permit)
{
    off_t permits = workers > 4 ? (off_t)workers / 4 : 1;
    int descriptor = open_again(turns);
    bool is_there = false;
    for (off_t i = 0; descriptor >= 0 && i < permits && !is_there; i++)
        is_there = change(descriptor, F_WRLCK, i, 1);
    if (descriptor >= 0 && !is_there)
        close(descriptor);
    *permit = is_there ? (struct permit){true, descriptor} : (struct permit){0};
    return is_there;
}

/* A process that this one has forked may have the descriptor, too: so it is not left to its end. */
void turns_leave(struct permit *permit)
{
    if (permit->is_there)
        (void)change(permit->descriptor, F_UNLCK, 0, 0);
    turns_send(permit);
}

void turns_send(struct permit *permit)
{
    if (permit->is_there)
        close(permit->descriptor);
    *permit = (struct permit){0};
}
