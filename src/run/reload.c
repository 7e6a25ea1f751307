#include "run/reload.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/text.h"

enum { RELOAD_ANSWERED = SIGURG };

pid_t reload_process(const char *word)
{
    int64_t number = 0;
    return text_to_integer(word, &number) && number > 1 && number <= INT_MAX ? (pid_t)number : 0;
}

/* Looks each second whether the master is there still. */
static bool wait_for_answer(pid_t master, const sigset_t *signals)
{
    static const struct timespec second = {.tv_sec = 1};
    siginfo_t info;
    do {
        if (sigtimedwait(signals, &info, &second) == RELOAD_ANSWERED && info.si_pid == master)
            return info.si_value.sival_int != 0;
    } while (kill(master, 0) == 0);
    log_error("process %ld has ended", (long)master);
    return false;
}

bool reload_ask(pid_t master)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, RELOAD_ANSWERED);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    if (sigqueue(master, RELOAD_ASKED, (union sigval){0}) == 0)
        return wait_for_answer(master, &signals);
    log_error("process %ld: %s", (long)master, strerror(errno));
    return false;
}

void reload_answer(pid_t asker, bool is_done)
{
    (void)sigqueue(asker, RELOAD_ANSWERED, (union sigval){.sival_int = is_done});
}
