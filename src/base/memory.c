#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

void *memory_required(void *memory)
{
    if (memory == NULL) {
        log_error("out of memory");
        abort();
    }
    return memory;
}

void *memory_zeroed(size_t count, size_t size)
{
    return memory_required(calloc(count, size));
}

void *memory_resized(void *old, size_t size)
{
    return memory_required(realloc(old, size));
}

char *memory_copy_text(const char *text)
{
    return memory_required(strdup(text));
}
