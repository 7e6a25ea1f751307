/*
 * Permits share the workers out among requests. Each operation has a class by its cost, and each
 * class has a largest share of the workers. The classes with a limit hold at most three quarters of
 * the workers together, so a cheap read always finds a worker.
 *
 *    a request comes ----> permits_take() ----> a worker holds the permit ----> permits_give()
 *                              |                          ^
 *                              | none is free             | permits_take_up()
 *                              v                          |
 *                    the request waits (serve/waiter) ----+ permits_choose() grants a permit
 *
 * While requests of another network and another account wait for the same class, the requests of a
 * network hold one permit, and those of an account hold one. The next permit goes to the request
 * whose network and account used the least time lately: seconds in which a worker served them,
 * which contain the time of the decoder and of the database.
 *
 * The processes of the service share the table. The master gives the permit of a dead worker back.
 */
#ifndef MAPDIARY_PERMIT_PERMITS_H
#define MAPDIARY_PERMIT_PERMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A request that holds a permit of one class needs none of a class before it. */
enum work_class {
    WORK_CHEAP,    /* reads by key: no limit */
    WORK_WRITE,    /* no limit together; an account holds half of the workers */
    WORK_DEAR,     /* lists, maps, searches: half of the workers */
    WORK_FILE,     /* requests with files: a quarter */
    WORK_PASSWORD, /* password hashing: a quarter, and at most half of the processors */
    WORK_CLASSES
};

enum { PERMITS_WORKERS = 1000 }; /* numbers that a worker may have */

struct permits;

/* The sender of a request, by names that permits_name() makes; 0 is none. */
struct asker {
    enum work_class class;
    uint64_t network; /* of the client: NETWORK_CLIENT of permit/network.h */
    uint64_t site;    /* of the networks around it: NETWORK_SITE */
    uint64_t account; /* that proved itself, or whose password is tried */
    bool is_known;    /* the account's owner has used this network: the request goes first */
};

/* A permit that a worker holds, or that is on its way to a worker. All zeros is none. */
struct permit {
    size_t slot;
    uint64_t serial;
};

/** Makes the table for processes that are forked later. NULL, with the reason logged, where the
 * system gives no memory. */
struct permits *permits_new(void);
void permits_free(struct permits **permits);

/** Sets the number of workers. */
void permits_set_workers(struct permits *permits, size_t workers);

/** The name of a network, an account or a session: a keyed hash that ignores case. */
uint64_t permits_name(const struct permits *permits, const char *text);

/** True for a name that permits_remember() was called for lately: of a session that is good, or of
 * a long answer. */
bool permits_remembers(const struct permits *permits, uint64_t name);
void permits_remember(struct permits *permits, uint64_t name);

/** Takes a permit for the worker of this number. False where none is free, or where others wait for
 * the next one. With is_forced the table has no limits. */
bool permits_take(struct permits *permits, size_t worker, const struct asker *asker, bool is_forced,
                  struct permit *permit);

/** Takes up a permit that permits_choose() granted. False where it was on its way for too long and
 * is void. */
bool permits_take_up(struct permits *permits, size_t worker, const struct permit *permit);

/** Gives a permit back, where there is one, and empties it. */
void permits_give(struct permits *permits, struct permit *permit);

/** Gives back the permit of a worker that has died. */
void permits_give_of_worker(struct permits *permits, size_t worker);

/** Makes a permit one of another class, which need not have room. */
void permits_change(struct permits *permits, const struct permit *permit, enum work_class class);

/** Charges time to the network, the site and the account of a request, and to its class. */
void permits_charge(struct permits *permits, const struct asker *asker, int64_t microseconds);

/** Grants a permit to one of the waiting requests, which are in the order of their arrival, and
 * answers its index; count where there is no permit for any of them. The waiter alone calls this.
 */
size_t permits_choose(struct permits *permits, const struct asker *const *waiting, size_t count,
                      struct permit *permit);

/** The index of the waiting request that would be the last to get a permit. Count is not 0. */
size_t permits_last(struct permits *permits, const struct asker *const *waiting, size_t count);

/** Milliseconds that a request of the class waits for a permit. */
int64_t permits_patience(enum work_class class);

/** An eventfd(2): readable after a permit was given back that a request waits for. The waiter reads
 * it before it calls permits_choose(). */
int permits_event(const struct permits *permits);

/** Counts a request that was refused because it got no permit in time. */
void permits_count_refused(struct permits *permits, enum work_class class);

/* The figures of a class, since the service started. */
struct permits_figures {
    const char *class;
    double held, waiting, refused, seconds;
};
struct permits_figures permits_look(const struct permits *permits, enum work_class class);

#endif
