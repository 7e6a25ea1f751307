/*
 * How far a long command has come, on standard error: a bar on a terminal,
 * elsewhere a line after a second, and then after twice as long each time, up to a minute.
 */
#ifndef MAPDIARY_CLI_PROGRESS_H
#define MAPDIARY_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what;  /* "pois" */
    const char *stage; /* "reading" */
    const char *unit;  /* what is counted; rows where nobody says otherwise */
    bool terminal;
    int64_t started; /* of the monotonic clock, in milliseconds, as the next two */
    int64_t stage_started;
    int64_t shown;
    int64_t every; /* milliseconds between what is shown */
};

void progress_start(struct progress *progress, const char *what, const char *stage);
/** So many rows, and so much of the whole of this stage, both in one unit; a whole of 0 is not
 * known. */
void progress_show(struct progress *progress, int64_t rows, int64_t done, int64_t whole);
/** Begins another stage, with a rate, a share and a time left of its own. */
void progress_stage(struct progress *progress, const char *stage);
/** Takes the bar away. */
void progress_end(struct progress *progress);

double progress_seconds(const struct progress *progress);

#endif
