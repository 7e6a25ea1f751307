#include "serve/turn.h"

#include <poll.h>

#include "base/clock.h"
#include "http/body.h"

enum { TICK = 10 }; /* milliseconds between two looks, where a worker must wait itself */

void turn_take_up(struct turn *turn, const struct pending *pending)
{
    turn->has_waited = pending->kind == PENDING_TURN;
    turn->permit = pending->permit;
}

static bool has_files(const struct responder *responder)
{
    return responder->body_length > 0 &&
           body_has_files(responder_variable(responder, "CONTENT_TYPE"));
}

static bool take_permit(struct turn *turn)
{
    const struct shared *shared = turn->shared;
    return turns_take(shared->turns, shared_workers(shared), &turn->permit);
}

/* When the service ends, nothing can be passed on, and nobody comes any more whom it would keep
 * from a worker. */
static enum turn_time wait_here(struct turn *turn)
{
    int64_t end = clock_milliseconds() + PENDING_TURN_PATIENCE;
    bool is_there;
    while (!(is_there = take_permit(turn)) && clock_milliseconds() < end) {
        progress_enter(turn->progress, STAGE_READING);
        poll(NULL, 0, TICK);
    }
    return is_there ? TURN_NOW : TURN_NEVER;
}

/* Who comes while others wait, waits behind them. */
enum turn_time turn_begin(struct turn *turn, const struct responder *responder, bool may_wait)
{
    bool others_wait = atomic_load(&turn->shared->state->waiter.turns) > 0;
    if (!has_files(responder) || turn->permit.is_there)
        return TURN_NOW;
    if (turn->has_waited)
        return TURN_NEVER;
    if (!may_wait)
        return wait_here(turn);
    return !others_wait && take_permit(turn) ? TURN_NOW : TURN_LATER;
}

void turn_end(struct turn *turn)
{
    turns_leave(&turn->permit);
    turn->has_waited = false;
}
