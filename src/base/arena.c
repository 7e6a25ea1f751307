#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK_SIZE = 16384 };

struct block {
    struct block *next;
    size_t used;
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
};

/* The first block of the chain is the one that is taken from. */
struct arena {
    struct block *blocks;
};

static struct block *block_new(size_t size, struct block *next)
{
    struct block *block = memory_resized(NULL, sizeof *block + size);
    *block = (struct block){.next = next, .size = size};
    return block;
}

static void blocks_free(struct block *block, const struct block *end)
{
    while (block != end) {
        struct block *next = block->next;
        free(block);
        block = next;
    }
}

struct arena *arena_new(void)
{
    struct arena *arena = memory_zeroed(1, sizeof *arena);
    arena->blocks = block_new(BLOCK_SIZE, NULL);
    return arena;
}

void arena_free(struct arena **arena)
{
    if (*arena != NULL)
        blocks_free((*arena)->blocks, NULL);
    free(*arena);
    *arena = NULL;
}

void arena_reset(struct arena *arena)
{
    struct block *last = arena->blocks;
    while (last->next != NULL)
        last = last->next;
    blocks_free(arena->blocks, last);
    last->used = 0;
    arena->blocks = last;
}

void *arena_take(struct arena *arena, size_t size)
{
    const size_t alignment = alignof(max_align_t);
    size_t rounded = (size + alignment - 1) & ~(alignment - 1);
    struct block *block = arena->blocks;
    if (rounded > block->size - block->used) {
        block = block_new(rounded > BLOCK_SIZE ? rounded : BLOCK_SIZE, block);
        arena->blocks = block;
    }
    void *taken = block->bytes + block->used;
    block->used += rounded;
    return memset(taken, 0, size);
}

void *arena_take_array(struct arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / 2 / size)
        abort();
    return arena_take(arena, count * size);
}

char *arena_copy(struct arena *arena, const void *bytes, size_t length)
{
    char *copy = arena_take(arena, length + 1);
    if (length > 0)
        memcpy(copy, bytes, length);
    return copy;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t size = length < 0 ? 1 : (size_t)length + 1;
    char *text = arena_take(arena, size);
    vsnprintf(text, size, format, again);
    va_end(again);
    return text;
}
