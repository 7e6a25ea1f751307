/*
 * The scoreboard: what the workers are at and what they counted, in memory that they and the master
 * share. A slot is written by the worker that has it, and outlives it: counts go on with the next.
 */
#ifndef MAPDIARY_RUN_SCOREBOARD_H
#define MAPDIARY_RUN_SCOREBOARD_H

#include <stdbool.h>

#include "api/metrics.h"
#include "db/connection.h"
#include "run/progress.h"

enum {
    SCOREBOARD_SLOTS = 1000,
    SCOREBOARD_RECEPTION = SCOREBOARD_SLOTS, /* its slot, behind those of the workers */
    SCOREBOARD_REASON = 256
};

/* Why a worker was replaced. */
enum restart {
    RESTART_DIED,     /* by itself, or by somebody's signal */
    RESTART_STUCK,    /* at one thing for too long, and killed for it */
    RESTART_RECYCLED, /* after max_requests */
    RESTART_RELOADED, /* for a new configuration */
    RESTART_COUNT
};

struct scoreboard_slot {
    struct progress progress;
    atomic_bool connected;          /* to the database */
    atomic_bool has_replica;        /* its reads go there */
    atomic_ulong served;            /* requests of this worker alone; of the reception, guests */
    atomic_llong spooled;           /* bytes in files of the spool that its process has */
    char reason[SCOREBOARD_REASON]; /* why it is not connected */
    struct db_counters database;
    struct metrics metrics;
};

/* The master writes what is not in a slot, but for what the reception has and what is spooled. */
struct scoreboard {
    atomic_size_t wanted;     /* workers, as configured */
    atomic_size_t slot_count; /* slots that have ever had one, the first of them */
    atomic_bool draining;     /* what waits on the socket is answered before the workers end */
    atomic_size_t guests;     /* of the reception, with requests */
    atomic_size_t answers;    /* that it sends on */
    atomic_int log_level;     /* as configured */
    atomic_llong spool_size;  /* as configured */
    atomic_llong spooled;     /* bytes in all files of the spool */
    atomic_ulong restarts[RESTART_COUNT];
    atomic_ulong reloads;
    atomic_ulong failed_reloads; /* for their configuration */
    int64_t started_at;          /* seconds since the epoch */
    struct scoreboard_slot slots[SCOREBOARD_SLOTS + 1];
};

/** New and zeroed; NULL, with the reason logged, where there is no memory. Pages that nobody writes
 * take none. */
struct scoreboard *scoreboard_new(void);
void scoreboard_free(struct scoreboard **scoreboard);

/** What can be said of all workers together. */
struct scoreboard_summary {
    size_t stages[STAGE_COUNT]; /* workers in each; STAGE_NONE: those that are missing */
    size_t connected;
    size_t with_replica;
    unsigned long requests;
    const char *reason; /* of one that is not connected; NULL where all are */
};
struct scoreboard_summary scoreboard_summarize(const struct scoreboard *scoreboard);

#endif
