/*
 * Whose turn it is to be shown, and how often what was shown and chosen, in memory that all
 * processes of the service share: whoever dies takes no count along. One process writes the counts
 * to the database, and takes off what is written.
 */
#ifndef MAPDIARY_API_TALLY_H
#define MAPDIARY_API_TALLY_H

#include <stdatomic.h>
#include <stdint.h>

enum { TALLY_SLOTS = 4096, TALLY_TURN_SIZE = 24 };

enum tally_kind { TALLY_SHOWN, TALLY_CLICKED, TALLY_KINDS };

struct tally {
    atomic_ullong turn;
    struct tally_slot {
        atomic_llong id; /* 0: it is free. Once it has one, it keeps it */
        atomic_llong counts[TALLY_KINDS];
    } slots[TALLY_SLOTS];
};

/** Begins the turns anywhere, so that two machines are not at the same one. */
void tally_begin(struct tally *tally);

/**
 * The next turn, as a decimal number from 0 on and below 1. Any so many after another are spread as
 * evenly as can be, by multiples of the golden ratio (Weyl's sequence): the difference to the ideal
 * share grows like the logarithm of their number, and not like the root of it, as with chance.
 */
void tally_turn(struct tally *tally, char turn[TALLY_TURN_SIZE]);

/** Counts one of those with this identifier; where 4,096 others were counted since the service
 * began it is lost. */
void tally_count(struct tally *tally, int64_t id, enum tally_kind kind);

#endif
