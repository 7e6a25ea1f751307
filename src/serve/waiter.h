/*
 * The waiter: a process that holds the pending connections whose request is not whole, or waits for
 * a permit (permit/permits.h), or whose answer is larger than the web server takes at once. A
 * worker passes such a connection on, and the next free worker takes it up when its request is
 * whole and has a permit. So a client that sends nothing, or a byte now and then, keeps no worker
 * from other clients, and no request waits for a busy worker while another worker is idle.
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
