#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

enum { LINE_SIZE = 2048 };

static enum log_level least = LOG_LEVEL_INFO;
static const char *program; /* NULL: a service */

void log_set_level(enum log_level level)
{
    least = level;
}

void log_set_program(const char *name)
{
    program = name;
}

bool log_wants(enum log_level level)
{
    return level <= least;
}

/* journald sets JOURNAL_STREAM for services whose standard error it reads: systemd.exec(5). */
static int line_start(char *line, enum log_level level)
{
    if (program != NULL)
        return snprintf(line, LINE_SIZE, "%s: ", program);
    if (getenv("JOURNAL_STREAM") != NULL)
        return snprintf(line, LINE_SIZE, "<%d>", (int)level);
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    static const char *const names[] = {"", "", "", "error", "warning", "notice", "info", "debug"};
    size_t used = strftime(line, LINE_SIZE, "%Y-%m-%dT%H:%M:%S", &utc);
    return (int)used + snprintf(line + used, LINE_SIZE - used,
                                ".%03ldZ [%ld] %s: ", now.tv_nsec / 1000000, (long)getpid(),
                                names[level & 7]);
}

void log_write(enum log_level level, const char *format, ...)
{
    if (!log_wants(level))
        return;
    char line[LINE_SIZE];
    int start = line_start(line, level);
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(line + start, sizeof line - (size_t)start - 1, format, arguments);
    va_end(arguments);
    if (wanted < 0)
        return;
    int room = (int)sizeof line - start - 2;
    int end = start + (wanted < room ? wanted : room);
    while (end > start && line[end - 1] == '\n')
        end--;
    text_make_printable(line + start, (size_t)(end - start));
    line[end++] = '\n';
    /* Nobody is left to tell when the log itself cannot be written. */
    ssize_t written = write(STDERR_FILENO, line, (size_t)end);
    (void)written;
}
