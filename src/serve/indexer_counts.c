#include "serve/indexer_counts.h"

#include "store/advertisement.h"

enum { MOST = DB_BATCH_MOST }; /* in a transaction */

/* What was there when it was looked at. */
struct counted {
    struct tally_slot *slot;
    int64_t counts[TALLY_KINDS];
};

static bool look(struct tally_slot *slot, struct counted *counted)
{
    *counted = (struct counted){.slot = slot};
    bool is_any = false;
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        counted->counts[kind] = atomic_load(&slot->counts[kind]);
        is_any = is_any || counted->counts[kind] > 0;
    }
    return is_any;
}

static size_t look_at_all(struct tally *tally, struct counted counted[static MOST])
{
    size_t count = 0;
    for (size_t i = 0; i < TALLY_SLOTS && count < MOST; i++)
        count += look(&tally->slots[i], &counted[count]);
    return count;
}

bool indexer_counts_are_left(struct tally *tally)
{
    struct counted counted[MOST];
    return look_at_all(tally, counted) > 0;
}

static void take_off(const struct counted *counted)
{
    for (int kind = 0; kind < TALLY_KINDS; kind++)
        atomic_fetch_sub(&counted->slot->counts[kind], counted->counts[kind]);
}

bool indexer_counts_write(struct tally *tally, struct db_batch *batch)
{
    struct counted counted[MOST];
    size_t count = look_at_all(tally, counted);
    for (size_t i = 0; i < count; i++)
        advertisement_count_add(batch, atomic_load(&counted[i].slot->id),
                                counted[i].counts[TALLY_SHOWN], counted[i].counts[TALLY_CLICKED]);
    if (count == 0 || db_batch_run(batch) != STATUS_OK)
        return false;
    for (size_t i = 0; i < count; i++)
        take_off(&counted[i]);
    return count == MOST;
}
