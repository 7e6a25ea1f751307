/*
 * What a worker is at and since when, in memory that the master sees too: it cuts or ends who is at
 * one thing for too long.
 */
#ifndef MAPDIARY_RUN_PROGRESS_H
#define MAPDIARY_RUN_PROGRESS_H

#include <stdatomic.h>

#include "base/clock.h"

enum stage {
    STAGE_NONE, /* no worker */
    STAGE_STARTING,
    STAGE_IDLE,
    STAGE_READING,  /* the request */
    STAGE_WORKING,  /* on the answer */
    STAGE_DECODING, /* the same, while the decoder is at it */
    STAGE_WRITING,  /* the answer */
    STAGE_COUNT
};

struct progress {
    atomic_int stage;
    atomic_llong since; /* clock_milliseconds() */
};

/* The time goes first: who sees the new stage sees its own time with it. */
static inline void progress_enter(struct progress *progress, enum stage stage)
{
    atomic_store_explicit(&progress->since, clock_milliseconds(), memory_order_release);
    atomic_store_explicit(&progress->stage, (int)stage, memory_order_release);
}

static inline enum stage progress_stage(const struct progress *progress)
{
    return (enum stage)atomic_load_explicit(&progress->stage, memory_order_acquire);
}

/** Milliseconds since the stage was entered. */
static inline int64_t progress_age(const struct progress *progress)
{
    return clock_milliseconds() - atomic_load_explicit(&progress->since, memory_order_acquire);
}

#endif
