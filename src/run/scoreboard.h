/*
 * The scoreboard: what the children are at, in memory that they and the master share. What a kind
 * has to show beside that is its own affair.
 */
#ifndef MAPDIARY_RUN_SCOREBOARD_H
#define MAPDIARY_RUN_SCOREBOARD_H

#include <stdbool.h>
#include <stddef.h>

#include "run/progress.h"

struct child_kind;

/* Why a child has ended. */
enum restart {
    RESTART_DIED,     /* by itself, or by somebody's signal */
    RESTART_STUCK,    /* at one thing for too long, and killed for it */
    RESTART_RECYCLED, /* when it was done, or told to end */
    RESTART_RELOADED, /* for a new configuration */
    RESTART_COUNT
};

/* Written by the child that has it, and by the master while there is none. */
struct scoreboard_slot {
    struct progress progress;
    atomic_ulong served; /* by this process alone, in what its kind counts */
};

/* Of a kind: the master writes what is not in a slot. */
struct scoreboard_board {
    atomic_size_t wanted; /* as configured */
    atomic_size_t used;   /* slots that have ever had a process, the first of them */
    atomic_ulong restarts[RESTART_COUNT];
    struct scoreboard_slot slots[]; /* of which there are kind->most */
};

/* Of all: the master writes. */
struct scoreboard_settings {
    atomic_bool draining; /* no more children are started */
    atomic_int log_level; /* as configured, for children that began with another */
    atomic_ulong reloads;
    atomic_ulong failed_reloads; /* for their configuration */
};

struct scoreboard_kind {
    const struct child_kind *kind;
    struct scoreboard_board *board;
};

/* Each process has its own copy of this, whose pointers no other can change. */
struct scoreboard {
    int64_t started_at; /* seconds since the epoch */
    struct scoreboard_settings *settings;
    size_t kind_count;
    struct scoreboard_kind kinds[]; /* in the order of their table */
};

/** New and zeroed memory that children share who are forked later; NULL, with the reason logged,
 * where there is none. Pages that nobody writes take none. */
void *scoreboard_map(size_t size);

/** For kinds that end with a row without a name; NULL as scoreboard_map(). */
struct scoreboard *scoreboard_new(const struct child_kind *kinds);
void scoreboard_free(struct scoreboard **scoreboard);

/** How many of a kind are at each stage; STAGE_NONE: those that are missing. */
struct scoreboard_stages {
    size_t counts[STAGE_COUNT];
};
struct scoreboard_stages scoreboard_count(const struct scoreboard_kind *kind);

/** Children of all kinds that have ended for this. */
unsigned long scoreboard_restarts(const struct scoreboard *scoreboard, enum restart why);

#endif
