#include "fcgi/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

static int open_file(const char *directory)
{
    return open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

bool spool_check(const char *directory)
{
    int descriptor = open_file(directory);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0;
}

static enum status fail(const struct spool *spool, const char *why)
{
    log_error("spool_directory %s: %s", spool->directory, why);
    return STATUS_UNAVAILABLE;
}

static void count(const struct spool *spool, off_t bytes)
{
    atomic_fetch_add(spool->all, bytes);
    atomic_fetch_add(spool->own, bytes);
}

bool spool_wants_room(const struct spool *spool)
{
    long long most = atomic_load(spool->most);
    return atomic_exchange(spool->full, false) || atomic_load(spool->all) > most - most / 16;
}

static bool write_all(int descriptor, const char *bytes, size_t length, off_t at)
{
    while (length > 0) {
        ssize_t wrote = pwrite(descriptor, bytes, length, at);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        bytes += wrote;
        length -= (size_t)wrote;
        at += wrote;
    }
    return true;
}

enum status spool_add(const struct spool *spool, struct spool_file *file, const void *bytes,
                      size_t length)
{
    if (atomic_load(spool->all) + (long long)length > atomic_load(spool->most)) {
        atomic_store(spool->full, true);
        return fail(spool, "more than spool_size");
    }
    if (!file->is_open) {
        file->descriptor = open_file(spool->directory);
        file->length = 0;
        file->is_open = file->descriptor >= 0;
    }
    if (!file->is_open || !write_all(file->descriptor, bytes, length, file->length))
        return fail(spool, strerror(errno));
    file->length += (off_t)length;
    count(spool, (off_t)length);
    return STATUS_OK;
}

bool spool_empty(const struct spool *spool, struct spool_file *file)
{
    if (ftruncate(file->descriptor, 0) != 0)
        return false;
    count(spool, -file->length);
    file->length = 0;
    return true;
}

void spool_send(const struct spool *spool, struct spool_file *file)
{
    if (!file->is_open)
        return;
    atomic_fetch_sub(spool->own, file->length);
    close(file->descriptor);
    *file = (struct spool_file){0};
}

void spool_receive(const struct spool *spool, const struct spool_file *file)
{
    if (file->is_open)
        atomic_fetch_add(spool->own, file->length);
}

void spool_lose(const struct spool *spool, const struct spool_file *file)
{
    if (file->is_open)
        atomic_fetch_sub(spool->all, file->length);
}

void spool_drop(const struct spool *spool, struct spool_file *file)
{
    if (!file->is_open)
        return;
    count(spool, -file->length);
    close(file->descriptor);
    *file = (struct spool_file){0};
}

void spool_forget(atomic_llong *all, atomic_llong *own)
{
    atomic_fetch_sub(all, atomic_exchange(own, 0));
}
