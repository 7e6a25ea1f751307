#include "serve/state.h"

#include <sys/mman.h>

struct state *state_new(void)
{
    struct state *state = scoreboard_map(sizeof *state);
    if (state == NULL)
        return NULL;
    tally_begin(&state->tally);
    rate_begin(&state->rate);
    return state;
}

void state_free(struct state **state)
{
    if (*state != NULL)
        munmap(*state, sizeof **state);
    *state = NULL;
}

static unsigned long requests_of(const struct worker_state *worker)
{
    unsigned long sum = 0;
    for (size_t i = 0; i <= METRICS_BOUNDS; i++)
        sum += atomic_load(&worker->metrics.durations[i]);
    return sum;
}

static void add_worker(struct state_summary *summary, const struct worker_state *worker)
{
    summary->with_replica += atomic_load(&worker->has_replica);
    if (atomic_load(&worker->connected))
        summary->connected++;
    else if (worker->reason[0] != '\0')
        summary->reason = worker->reason;
}

struct state_summary state_summarize(const struct state *state,
                                     const struct scoreboard_kind *workers)
{
    struct state_summary summary = {.reason = NULL};
    size_t used = atomic_load(&workers->board->used);
    for (size_t i = 0; i < used && i < STATE_WORKERS; i++) {
        summary.requests += requests_of(&state->workers[i]);
        if (progress_stage(&workers->board->slots[i].progress) != STAGE_NONE)
            add_worker(&summary, &state->workers[i]);
    }
    return summary;
}
