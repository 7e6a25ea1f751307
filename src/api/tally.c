#include "api/tally.h"

#include <stdio.h>

#include "base/crypto.h"

void tally_begin(struct tally *tally)
{
    unsigned long long anywhere = 0;
    crypto_random(&anywhere, sizeof anywhere);
    atomic_store(&tally->turn, anywhere);
}

/* 2^64 divided by the golden ratio, to the next odd number: the sum wraps around as a fraction
 * does. Half of its bits are as many as a double has. */
void tally_turn(struct tally *tally, char turn[TALLY_TURN_SIZE])
{
    static const unsigned long long step = 0x9E3779B97F4A7C15;
    unsigned long long at = atomic_fetch_add(&tally->turn, step);
    snprintf(turn, TALLY_TURN_SIZE, "%.15f", (double)(at >> 16) / (double)(1ULL << 48));
}

/* Whether it has this identifier, or has taken it now. */
static bool is_of(struct tally_slot *slot, int64_t id)
{
    long long there = 0;
    return atomic_compare_exchange_strong(&slot->id, &there, id) || there == id;
}

void tally_count(struct tally *tally, int64_t id, enum tally_kind kind)
{
    for (int64_t i = 0; i < TALLY_SLOTS; i++) {
        struct tally_slot *slot = &tally->slots[(id + i) % TALLY_SLOTS];
        if (is_of(slot, id)) {
            atomic_fetch_add(&slot->counts[kind], 1);
            return;
        }
    }
}
