#include "base/recent.h"

enum { HALF_LIFE = 60000 }; /* milliseconds */

/* The cell of a hash in a row, each row by other bits of it, brought up to now. */
static struct recent_cell *cell(struct recent *recent, int row, uint64_t hash, int64_t now)
{
    struct recent_cell *cell = &recent->cells[row][(hash >> (16 * row)) % RECENT_CELLS];
    if (cell->count < 0.01)
        *cell = (struct recent_cell){0, now};
    for (; now - cell->at >= HALF_LIFE && cell->count >= 0.01; cell->at += HALF_LIFE)
        cell->count /= 2;
    return cell;
}

double recent_count(struct recent *recent, uint64_t hash, int64_t now)
{
    double least = cell(recent, 0, hash, now)->count;
    for (int row = 1; row < RECENT_ROWS; row++) {
        double count = cell(recent, row, hash, now)->count;
        least = count < least ? count : least;
    }
    return least;
}

void recent_add(struct recent *recent, uint64_t hash, double amount, int64_t now)
{
    for (int row = 0; row < RECENT_ROWS; row++)
        cell(recent, row, hash, now)->count += amount;
}
