#include "run/scoreboard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/log.h"
#include "base/memory.h"
#include "run/child_kind.h"

void *scoreboard_map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED)
        return memory;
    log_error("scoreboard: %s", strerror(errno));
    return NULL;
}

static size_t board_size(const struct child_kind *kind)
{
    return sizeof(struct scoreboard_board) + kind->most * sizeof(struct scoreboard_slot);
}

static bool add_kind(struct scoreboard *scoreboard, const struct child_kind *kind)
{
    struct scoreboard_board *board = scoreboard_map(board_size(kind));
    if (board != NULL)
        scoreboard->kinds[scoreboard->kind_count++] = (struct scoreboard_kind){kind, board};
    return board != NULL;
}

struct scoreboard *scoreboard_new(const struct child_kind *kinds)
{
    size_t count = 0;
    while (kinds[count].name != NULL)
        count++;
    struct scoreboard *scoreboard =
        memory_zeroed(1, sizeof *scoreboard + count * sizeof *scoreboard->kinds);
    scoreboard->started_at = time(NULL);
    scoreboard->settings = scoreboard_map(sizeof *scoreboard->settings);
    bool is_whole = scoreboard->settings != NULL;
    for (size_t i = 0; i < count && is_whole; i++)
        is_whole = add_kind(scoreboard, &kinds[i]);
    if (!is_whole)
        scoreboard_free(&scoreboard);
    return scoreboard;
}

void scoreboard_free(struct scoreboard **scoreboard)
{
    struct scoreboard *freed = *scoreboard;
    for (size_t i = 0; freed != NULL && i < freed->kind_count; i++)
        munmap(freed->kinds[i].board, board_size(freed->kinds[i].kind));
    if (freed != NULL && freed->settings != NULL)
        munmap(freed->settings, sizeof *freed->settings);
    free(freed);
    *scoreboard = NULL;
}

struct scoreboard_stages scoreboard_count(const struct scoreboard_kind *kind)
{
    struct scoreboard_stages stages = {{0}};
    size_t used = atomic_load(&kind->board->used), wanted = atomic_load(&kind->board->wanted);
    for (size_t i = 0; i < used && i < kind->kind->most; i++)
        stages.counts[progress_stage(&kind->board->slots[i].progress)]++;
    size_t present = used - stages.counts[STAGE_NONE];
    stages.counts[STAGE_NONE] = wanted > present ? wanted - present : 0;
    return stages;
}

unsigned long scoreboard_restarts(const struct scoreboard *scoreboard, enum restart why)
{
    unsigned long sum = 0;
    for (size_t i = 0; i < scoreboard->kind_count; i++)
        sum += atomic_load(&scoreboard->kinds[i].board->restarts[why]);
    return sum;
}
