/*
 * How far a long command has come, on standard error: a bar on a terminal,
 * elsewhere a line after a second, and then after twice as long each time, up to a minute.
 */
#ifndef MAPDIARY_CTL_PROGRESS_H
#define MAPDIARY_CTL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what; /* "pois" */
    bool terminal;
    int64_t started; /* of the monotonic clock, in milliseconds, as the next */
    int64_t shown;
    int64_t every; /* milliseconds between what is shown */
};

void progress_start(struct progress *progress, const char *what);
/** So many rows, and so much of the whole, both in one unit; a whole of 0 is not known. */
void progress_show(struct progress *progress, int64_t rows, int64_t done, int64_t whole);
/** Says what is done now, after the rows were read. */
void progress_stage(struct progress *progress, const char *stage);
/** Takes the bar away. */
void progress_end(struct progress *progress);

double progress_seconds(const struct progress *progress);

#endif
