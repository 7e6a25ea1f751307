/*
 * Memory that is there or the process is not: a worker that gets none says so and ends, PostgreSQL
 * rolls back what it was doing, and the pool starts another. So no caller has a path for it that
 * nobody ever ran.
 */
#ifndef MAPDIARY_BASE_MEMORY_H
#define MAPDIARY_BASE_MEMORY_H

#include <stddef.h>

/** What was given, unless it is NULL. */
void *memory_required(void *memory) __attribute__((returns_nonnull));

/** As calloc(3) and realloc(3), but never NULL. The caller frees with free(3). */
void *memory_zeroed(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *memory_resized(void *old, size_t size) __attribute__((returns_nonnull));
char *memory_copy_text(const char *text) __attribute__((malloc, returns_nonnull));

#endif
