/*
 * An arena: memory that is taken piece by piece and given back all at once. Whatever lives as long
 * as a request comes from the request's arena, so nothing of it has to be freed, on no path.
 */
#ifndef MAPDIARY_BASE_ARENA_H
#define MAPDIARY_BASE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
/** Frees the arena and sets the pointer to NULL; a NULL inside is fine. */
void arena_free(struct arena **arena);
/** Gives back everything that was taken; one small block is kept for the next request. */
void arena_reset(struct arena *arena);

/** Zeroed memory, aligned for any type, never NULL; valid until arena_reset() or arena_free(). */
void *arena_take(struct arena *arena, size_t size) __attribute__((returns_nonnull));
/** An array of zeroed elements. */
void *arena_take_array(struct arena *arena, size_t count, size_t size)
    __attribute__((returns_nonnull));
/** A copy of length bytes and a NUL after them. */
char *arena_copy(struct arena *arena, const void *bytes, size_t length)
    __attribute__((returns_nonnull));
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));

#endif
