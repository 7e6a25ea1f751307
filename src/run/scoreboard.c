#include "run/scoreboard.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/log.h"

struct scoreboard *scoreboard_new(void)
{
    struct scoreboard *scoreboard =
        mmap(NULL, sizeof *scoreboard, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (scoreboard == MAP_FAILED) {
        log_error("scoreboard: %s", strerror(errno));
        return NULL;
    }
    scoreboard->started_at = time(NULL);
    return scoreboard;
}

void scoreboard_free(struct scoreboard **scoreboard)
{
    if (*scoreboard != NULL)
        munmap(*scoreboard, sizeof **scoreboard);
    *scoreboard = NULL;
}

static unsigned long requests_of(const struct scoreboard_slot *slot)
{
    unsigned long sum = 0;
    for (size_t i = 0; i <= METRICS_BOUNDS; i++)
        sum += atomic_load(&slot->metrics.durations[i]);
    return sum;
}

struct scoreboard_summary scoreboard_summarize(const struct scoreboard *scoreboard)
{
    struct scoreboard_summary summary = {.reason = NULL};
    size_t present = 0;
    for (size_t i = 0; i < atomic_load(&scoreboard->slot_count); i++) {
        const struct scoreboard_slot *slot = &scoreboard->slots[i];
        enum stage stage = progress_stage(&slot->progress);
        summary.requests += requests_of(slot);
        if (stage == STAGE_NONE)
            continue;
        present++;
        summary.stages[stage]++;
        summary.with_replica += atomic_load(&slot->has_replica);
        if (atomic_load(&slot->connected))
            summary.connected++;
        else if (slot->reason[0] != '\0')
            summary.reason = slot->reason;
    }
    size_t wanted = atomic_load(&scoreboard->wanted);
    summary.stages[STAGE_NONE] = wanted > present ? wanted - present : 0;
    return summary;
}
