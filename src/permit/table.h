/*
 * The table of permits, for the files of this folder.
 */
#ifndef MAPDIARY_PERMIT_TABLE_H
#define MAPDIARY_PERMIT_TABLE_H

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>

#include "base/recent.h"
#include "permit/permits.h"

enum {
    SLOTS = 2 * PERMITS_WORKERS, /* the workers' permits, and those on their way to a worker */
    NAMES = 65536,               /* that are remembered */
};

struct slot {
    struct asker asker;
    uint64_t serial; /* 0: the slot is free */
    bool is_granted; /* on its way to a worker */
    size_t worker;
    int64_t since; /* milliseconds */
};

struct permits {
    pthread_mutex_t guard; /* of all members up to "times" */
    uint64_t serial;
    size_t used;    /* slots up to the highest that was ever used */
    size_t limited; /* permits that are held of the classes with a limit */
    struct slot slots[SLOTS];
    bool is_awaited; /* a request waits for the next permit */
    bool is_crowded; /* a request waits although its class has room: the classes together do not */
    struct recent times; /* milliseconds, by the names of networks, sites and accounts */

    int event;
    unsigned char key[crypto_shorthash_KEYBYTES]; /* hides which names share cells of "times" */
    atomic_size_t workers;
    size_t half_of_processors; /* at least 1; sysconf() reads a file at each call */
    _Atomic uint64_t names[NAMES];
    struct {
        atomic_size_t held, waiting;
        atomic_ulong refused;
        atomic_ulong microseconds;
    } figures[WORK_CLASSES];
};

void permits_enter(struct permits *permits);
void permits_leave(struct permits *permits);

/* The caller of these is between permits_enter() and permits_leave(). */

/** True where the asker's class has room for one more permit. */
bool permits_have_room(const struct permits *permits, const struct asker *asker);

/** True where the class has room, but all classes with a limit together have none. */
bool permits_are_crowded(const struct permits *permits, enum work_class class);

/** Fills a free slot for the asker. */
struct slot *permits_hold(struct permits *permits, const struct asker *asker,
                          struct permit *permit);
void permits_let_go(struct permits *permits, struct slot *slot);

/** Permits that the asker's network or account holds of the asker's class. */
size_t permits_held_by(const struct permits *permits, const struct asker *asker);

/** True for requests of one network, or of one account. */
bool permits_are_of_one(const struct asker *one, const struct asker *other);

#endif
