/*
 * How much there was of each of many things lately, in constant memory: a sum that halves each
 * minute. Things that share both of their cells count together (a count-min sketch), so that a
 * count may be too high, and never is too low. May lie in memory that processes share; who changes
 * it, does so alone.
 */
#ifndef MAPDIARY_BASE_RECENT_H
#define MAPDIARY_BASE_RECENT_H

#include <stdint.h>

enum { RECENT_ROWS = 2, RECENT_CELLS = 4096 };

/* All zeros at first. */
struct recent {
    struct recent_cell {
        double count;
        int64_t at; /* milliseconds: when it was halved last */
    } cells[RECENT_ROWS][RECENT_CELLS];
};

/** What is left of a thing, known by its hash, at a time (base/clock.h, milliseconds). */
double recent_count(struct recent *recent, uint64_t hash, int64_t now);

/** Adds an amount. */
void recent_add(struct recent *recent, uint64_t hash, double amount, int64_t now);

#endif
