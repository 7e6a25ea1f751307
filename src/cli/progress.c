#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

enum { BAR = 30 };
enum { ON_TERMINAL = 100, FIRST_LINE = 1000, LINES_MOST = 60000 }; /* milliseconds */

void progress_start(struct progress *progress, const char *what, const char *stage)
{
    int64_t now = clock_milliseconds();
    bool terminal = isatty(STDERR_FILENO);
    *progress = (struct progress){.what = what,
                                  .stage = stage,
                                  .unit = "rows",
                                  .terminal = terminal,
                                  .started = now,
                                  .stage_started = now,
                                  .shown = now,
                                  .every = terminal ? ON_TERMINAL : FIRST_LINE};
}

double progress_seconds(const struct progress *progress)
{
    return (double)(clock_milliseconds() - progress->started) / 1000;
}

static void show_bar(double share)
{
    int filled = (int)(share * (double)BAR);
    fprintf(stderr, " [%.*s%*s] %3d %%", filled, "==============================", BAR - filled, "",
            (int)(share * 100));
}

void progress_show(struct progress *progress, int64_t rows, int64_t done, int64_t whole)
{
    int64_t now = clock_milliseconds();
    double seconds = (double)(now - progress->stage_started + 1) / 1000;
    double share = whole > 0 && done <= whole ? (double)done / (double)whole : 0;
    if (now - progress->shown < progress->every)
        return;
    progress->shown = now;
    if (!progress->terminal && progress->every < LINES_MOST)
        progress->every *= 2;
    fprintf(stderr, "%s%s: %s: %lld %s, %.0f a second", progress->terminal ? "\r\033[K" : "",
            progress->what, progress->stage, (long long)rows, progress->unit,
            (double)rows / seconds);
    if (share > 0 && progress->terminal)
        show_bar(share);
    else if (share > 0)
        fprintf(stderr, ", %d %%", (int)(share * 100));
    if (share > 0)
        fprintf(stderr, ", %.0f s left", seconds / share - seconds);
    if (!progress->terminal)
        fputc('\n', stderr);
}

void progress_stage(struct progress *progress, const char *stage)
{
    progress->stage = stage;
    progress->stage_started = clock_milliseconds();
    if (progress->terminal)
        fprintf(stderr, "\r\033[K%s: %s", progress->what, stage);
}

void progress_end(struct progress *progress)
{
    if (progress->terminal)
        fputs("\r\033[K", stderr);
}
