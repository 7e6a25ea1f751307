#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static void *there(void *memory)
{
    if (memory == NULL) {
        log_error("out of memory");
        abort();
    }
    return memory;
}

void *memory_zeroed(size_t count, size_t size)
{
    return there(calloc(count, size));
}

void *memory_resized(void *old, size_t size)
{
    return there(realloc(old, size));
}

char *memory_copy_text(const char *text)
{
    return there(strdup(text));
}
