#include "ctl/visit.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"

enum {
    ON_ITS_WAY = 5000, /* milliseconds that a start or a reload may take */
    LOOK_EVERY = 200,
};

void visit_find(struct visit *visit, const char *check, bool is_good, const char *advice,
                const char *format, ...)
{
    char finding[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding, sizeof finding, format, arguments);
    va_end(arguments);
    struct output *out = visit->run->out;
    visit->is_sick = visit->is_sick || !is_good;
    if (is_good && !visit->shows_all)
        return;
    output_object(out, NULL);
    output_text(out, "check", check);
    output_text(out, "state", is_good ? "ok" : "FAILED");
    output_text(out, "finding", finding);
    output_text(out, "advice", is_good ? NULL : advice);
    output_end(out);
}

const char *visit_advise(const struct visit *visit, const char *format, ...)
{
    char advice[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(advice, sizeof advice, format, arguments);
    va_end(arguments);
    return arena_format(visit->run->arena, "%s", advice);
}

bool visit_wait(const struct visit *visit, int64_t began_at)
{
    if (visit->is_sick || clock_milliseconds() - began_at > ON_ITS_WAY)
        return false;
    poll(NULL, 0, LOOK_EVERY);
    return true;
}
