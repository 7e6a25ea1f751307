#include "decoder/allocation.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

static int status_then; /* 0: the caller hears of it */

void allocation_end_with(int status)
{
    status_then = status;
}

#if defined WITH_SANITIZERS

/* They have an allocator of their own. What looks for leaks would trace, which is forbidden. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

#else

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void *memalign(size_t alignment, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **memory, size_t alignment, size_t size);

static void *checked(void *memory, size_t size)
{
    if (memory == NULL && size > 0 && status_then != 0)
        _exit(status_then);
    return memory;
}

void *malloc(size_t size)
{
    return checked(__libc_malloc(size), size);
}

void *calloc(size_t count, size_t size)
{
    return checked(__libc_calloc(count, size), size);
}

void *realloc(void *old, size_t size)
{
    return checked(__libc_realloc(old, size), size);
}

void *memalign(size_t alignment, size_t size)
{
    return checked(__libc_memalign(alignment, size), size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
        return EINVAL;
    *memory = memalign(alignment, size);
    return *memory == NULL && size > 0 ? ENOMEM : 0;
}

#endif
