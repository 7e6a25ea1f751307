#include "decoder/sandbox.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/log.h"
#include "media/decoder_protocol.h"

enum filter { FILTER_ALL, FILTER_PICTURE, FILTERS };

static scmp_filter_ctx filters[FILTERS];

/* The calls ------------------------------------------------------------------------------------ */

#define CALL(name) SCMP_SYS(name)

static const int calls_of_all[] = {
    CALL(read),          CALL(write),           CALL(pread64),
    CALL(pwrite64),      CALL(lseek),           CALL(close),
    CALL(munmap),        CALL(mremap),          CALL(madvise),
    CALL(brk),           CALL(futex),           CALL(getrandom),
    CALL(rt_sigaction),  CALL(rt_sigprocmask),  CALL(rt_sigreturn),
    CALL(sigaltstack),   CALL(getpid),          CALL(gettid),
    CALL(exit),          CALL(exit_group),      CALL(set_robust_list),
    CALL(rseq),          CALL(sched_yield),     CALL(sched_getaffinity),
    CALL(clock_gettime), CALL(clock_nanosleep), CALL(nanosleep),
    CALL(gettimeofday),  CALL(restart_syscall), CALL(membarrier),
    CALL(poll),          CALL(ppoll),           CALL(uname),
    CALL(sysinfo),       CALL(setitimer),
};

/* What the process takes that has not seen a pixel. One that has could end others by some of them,
 * by fcntl(2) as whom a descriptor's signals are for. */
static const int calls_of_parent[] = {
    CALL(recvmsg), CALL(sendto),  CALL(wait4),     CALL(kill),       CALL(getppid),
    CALL(pipe2),   CALL(dup2),    CALL(dup3),      CALL(fstat),      CALL(newfstatat),
    CALL(prctl),   CALL(seccomp), CALL(prlimit64), CALL(getsockopt), CALL(set_tid_address),
    CALL(tgkill),  CALL(fcntl),
};

/* Calls that depend on their arguments. */
static const struct {
    bool in[FILTERS];
    int call;
    struct scmp_arg_cmp argument;
} conditions[] = {
    {{true, true}, CALL(mmap), {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0}},
    {{true, true}, CALL(mprotect), {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0}},
    {{true, false}, CALL(clone), {0, SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, 0}},
    {{false, true}, CALL(clone), {0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD}},
    {{false, true}, CALL(prctl), {0, SCMP_CMP_EQ, PR_SET_NAME, 0}},
    {{false, true}, CALL(prlimit64), {2, SCMP_CMP_EQ, 0, 0}}, /* asks */
};

static bool allow_all(scmp_filter_ctx filter, const int *calls, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0) == 0;
    return good;
}

static bool allow_on_conditions(enum filter which)
{
    bool good = true;
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions && good; i++)
        good = !conditions[i].in[which] ||
               seccomp_rule_add_array(filters[which], SCMP_ACT_ALLOW, conditions[i].call, 1,
                                      &conditions[i].argument) == 0;
    return good;
}

/* The C library falls back on clone(2), of which a filter sees the flags. */
static bool hide_clone3(scmp_filter_ctx filter)
{
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), CALL(clone3), 0) == 0;
}

static bool make_filter(enum filter which)
{
    scmp_filter_ctx filter = filters[which] = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    size_t parents = sizeof calls_of_parent / sizeof *calls_of_parent;
    return filter != NULL && hide_clone3(filter) &&
           allow_all(filter, calls_of_all, sizeof calls_of_all / sizeof *calls_of_all) &&
           allow_all(filter, calls_of_parent, which == FILTER_ALL ? parents : 0) &&
           allow_on_conditions(which);
}

bool sandbox_open(void)
{
    bool good = make_filter(FILTER_ALL) && make_filter(FILTER_PICTURE);
    if (!good)
        log_error("seccomp: the filters cannot be made");
    return good;
}

/* Entering ------------------------------------------------------------------------------------- */

static bool load(enum filter which)
{
    int failed = seccomp_load(filters[which]);
    if (failed != 0)
        log_error("seccomp: %s", strerror(-failed));
    return failed == 0;
}

bool sandbox_enter(void)
{
    return load(FILTER_ALL);
}

bool sandbox_enter_picture(void)
{
    return load(FILTER_PICTURE);
}

bool sandbox_forget(int first)
{
    bool good = close_range((unsigned int)first, ~0U, 0) == 0 && prctl(PR_SET_DUMPABLE, 0) == 0;
    if (!good)
        log_error("close_range: %s", strerror(errno));
    return good;
}

/* Limits --------------------------------------------------------------------------------------- */

static const struct {
    __rlimit_resource_t resource;
    struct rlimit limit;
} limits[] = {
    {RLIMIT_CPU, {DECODER_CPU, DECODER_CPU + 1}},
    {RLIMIT_FSIZE, {64 << 20, 64 << 20}},
    {RLIMIT_CORE, {0, 0}},
    {RLIMIT_NOFILE, {16, 16}},
#if !defined WITH_SANITIZERS /* which take more addresses than any limit leaves */
    {RLIMIT_AS, {1536L << 20, 1536L << 20}},
#endif
};

/* What somebody has limited further stays so. */
static bool set_limit(__rlimit_resource_t resource, struct rlimit limit)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0)
        return false;
    limit.rlim_max = limit.rlim_max < now.rlim_max ? limit.rlim_max : now.rlim_max;
    limit.rlim_cur = limit.rlim_cur < limit.rlim_max ? limit.rlim_cur : limit.rlim_max;
    return setrlimit(resource, &limit) == 0;
}

bool sandbox_limit_picture(void)
{
    bool good = true;
    for (size_t i = 0; i < sizeof limits / sizeof *limits && good; i++)
        good = set_limit(limits[i].resource, limits[i].limit);
    return good;
}

enum { SECOND = 1000000 }; /* in microseconds */

/* From the least to the most, by the pixels. */
static bool set_clock(__itimer_which_t clock, int64_t least, int64_t most, int64_t pixels)
{
    int64_t time = least * SECOND + (most - least) * pixels / (DECODER_PIXELS_MOST / SECOND);
    const struct itimerval limit = {.it_value = {time / SECOND, time % SECOND}};
    return setitimer(clock, &limit, NULL) == 0;
}

bool sandbox_limit_time(int64_t pixels)
{
    return set_clock(ITIMER_PROF, DECODER_CPU_LEAST, DECODER_CPU, pixels) &&
           set_clock(ITIMER_REAL, DECODER_WALL_LEAST, DECODER_WALL, pixels);
}
