/*
 * The waiter: a process where connections are pending whose request has not come yet, or not all of
 * it, or has no turn (serve/turns), or whose answer is larger than the web server takes at once.
 * A worker that accepts such a one passes it on, and whichever worker is free takes it up once its
 * request is whole. So nobody who says nothing, or sends a byte now and then, keeps a worker from
 * those who have a request, and no request waits for a worker that is busy while others are not.
 * Nor do those with files, however many, keep the workers from those without.
 */
#ifndef MAPDIARY_SERVE_WAITER_H
#define MAPDIARY_SERVE_WAITER_H

#include "run/scoreboard.h"
#include "serve/shared.h"

/**
 * Receives connections, reads on, and passes on those whose request is whole, until no process is
 * left that might pass one on; then it answers for those whose request has begun to come, sends the
 * answers that are left, and ends. Answers the exit status.
 */
int waiter_run(struct shared *shared, struct scoreboard_slot *slot);

#endif
