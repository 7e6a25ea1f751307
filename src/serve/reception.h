/*
 * The reception: a process where connections wait whose request has not come yet, or not all of it,
 * or whose answer is larger than the web server takes at once.
 * A worker that accepts such a one passes it on, and whichever worker is free takes it up once its
 * request is whole. So nobody who says nothing, or sends a byte now and then, keeps a worker from
 * those who have a request, and no request waits for a worker that is busy while others are not.
 */
#ifndef MAPDIARY_SERVE_RECEPTION_H
#define MAPDIARY_SERVE_RECEPTION_H

#include "serve/handoff.h"

struct scoreboard_slot;
struct shared;

/* Two ends of a way for pending connections, of which each process closes the one that it has no
 * use for. */
struct door {
    int in;
    int out;
};

struct reception {
    struct door entrance; /* from the workers */
    struct door exit;     /* to them; what waits there waits for the first that is free */
};

/** Opens both doors; false, with the reason logged, where the system gives no sockets. */
bool reception_open(struct reception *reception);
void reception_close(struct reception *reception);

/** For a worker: leaves it the ends that are for workers. */
void reception_attend(struct reception *reception);

/** For a worker: passes a pending connection on, which is gone for the worker then. Without room at
 * the entrance its connection is closed, and that is logged. */
void reception_pass(const struct reception *reception, const struct spool *spool,
                    struct pending *pending);

/** For a worker: receives a pending connection whose request is whole, if there is one; with flags
 * of 0, waits for it. HANDOFF_NO_MORE comes when the reception has ended. */
enum handoff_arrival reception_take(const struct reception *reception, const struct spool *spool,
                                    struct pending *pending, int flags);

/** For a worker: it will pass on no more. */
void reception_finish(struct reception *reception);
/** For a worker: false after that. */
bool reception_is_open(const struct reception *reception);

/**
 * The process: receives pending connections, reads on, and passes on those whose request is whole,
 * until no process is left that might pass one on; then it answers for those whose request has
 * begun to come, sends the answers that are left, and ends. Answers the exit status.
 */
int waiter_run(struct shared *shared, struct scoreboard_slot *slot);

#endif
