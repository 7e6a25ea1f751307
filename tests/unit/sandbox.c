#include "decoder/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* Attempts: each answers as its system call does. ---------------------------------------------- */

static int file;       /* that is open before */
static int sockets[2]; /* likewise */

static long open_a_file(void)
{
    return open("/dev/null", O_RDONLY);
}

static long open_by_its_old_call(void)
{
    return syscall(SYS_open, "/dev/null", O_RDONLY);
}

static long make_a_file(void)
{
    return open("/tmp", O_TMPFILE | O_RDWR, 0600);
}

static long unlink_a_file(void)
{
    return unlink("/nothing");
}

static long make_a_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM, 0);
}

static long connect_one(void)
{
    const struct sockaddr address = {.sa_family = AF_UNIX};
    return connect(sockets[0], &address, sizeof address);
}

static long execute(void)
{
    static char *const words[] = {(char *)(uintptr_t)"true", NULL};
    return execv("/bin/true", words);
}

static long trace(void)
{
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static long make_code(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
               ? -1
               : 0;
}

static long turn_to_code(void)
{
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mprotect(memory, 4096, PROT_READ | PROT_EXEC);
}

static long ask_a_device(void)
{
    int value;
    return syscall(SYS_ioctl, file, 0x5401, &value);
}

static long fork_one(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    return pid > 0 ? waitpid(pid, NULL, 0) : pid;
}

static long signal_one(void)
{
    return kill(getpid(), 0);
}

static long signal_a_thread(void)
{
    return syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0);
}

/* Of what happens to a descriptor, which may be any signal, to anybody. */
static long have_one_signalled(void)
{
    return fcntl(sockets[0], F_SETOWN, getpid());
}

static long send_something(void)
{
    return send(sockets[0], "x", 1, MSG_DONTWAIT);
}

static long receive_something(void)
{
    char byte;
    struct iovec content = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1};
    return recvmsg(sockets[1], &message, MSG_DONTWAIT);
}

static long raise_a_limit(void)
{
    const struct rlimit limit = {1 << 30, 1 << 30};
    return setrlimit(RLIMIT_FSIZE, &limit);
}

static long become_traceable(void)
{
    return prctl(PR_SET_DUMPABLE, 1);
}

static void *do_nothing(void *context)
{
    return context;
}

static long start_a_thread(void)
{
    pthread_t thread;
    int failed = pthread_create(&thread, NULL, do_nothing, NULL);
    errno = failed;
    return failed == 0 ? pthread_join(thread, NULL) : -1;
}

static long take_memory(void)
{
    char *memory = malloc(10000000);
    if (memory == NULL)
        return -1;
    memory[9999999] = 1;
    free(memory);
    return 0;
}

static long write_a_file(void)
{
    return pwrite(file, "x", 1, 0);
}

static long limit_its_time(void)
{
    return sandbox_limit_time(0) ? 0 : -1;
}

static const struct {
    const char *name;
    long (*attempt)(void);
    bool by_parent, by_picture;
} attempts[] = {
    {"open", open_a_file, false, false},
    {"open(2)", open_by_its_old_call, false, false},
    {"O_TMPFILE", make_a_file, false, false},
    {"unlink", unlink_a_file, false, false},
    {"socket", make_a_socket, false, false},
    {"connect", connect_one, false, false},
    {"execve", execute, false, false},
    {"ptrace", trace, false, false},
    {"PROT_EXEC", make_code, false, false},
    {"mprotect", turn_to_code, false, false},
    {"ioctl", ask_a_device, false, false},
    {"fork", fork_one, true, false},
    {"kill", signal_one, true, false},
    {"tgkill", signal_a_thread, true, false},
    {"F_SETOWN", have_one_signalled, true, false},
    {"send", send_something, true, false},
    {"receive", receive_something, true, false},
    {"setrlimit", raise_a_limit, true, false},
    {"PR_SET_DUMPABLE", become_traceable, true, false},
    {"a thread", start_a_thread, true, true},
    {"memory", take_memory, true, true},
    {"pwrite", write_a_file, true, true},
    {"setitimer", limit_its_time, true, true},
};

/* In a process of its own: EPERM is 1, success 0, anything else 2. */
static int tried(size_t i, bool is_picture)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        if (!sandbox_open() || !sandbox_enter() || (is_picture && !sandbox_enter_picture()))
            _exit(9);
        errno = 0;
        _exit(attempts[i].attempt() >= 0 ? 0 : errno == EPERM ? 1 : 2);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void what_may_be_done(void **state)
{
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets), 0);
    assert_int_equal(send(sockets[0], "x", 1, 0), 1);
    file = memfd_create("test", MFD_CLOEXEC);
    for (size_t i = 0; i < COUNT(attempts); i++) {
        expect_integer(attempts[i].name, tried(i, false), attempts[i].by_parent ? 0 : 1);
        assert_int_equal(send(sockets[0], "x", 1, 0), 1);
        expect_integer(attempts[i].name, tried(i, true), attempts[i].by_picture ? 0 : 1);
    }
}

static void all_is_possible_before(void **state)
{
    (void)state;
    assert_true(open_a_file() >= 0 && make_a_socket() >= 0 && make_code() == 0 && fork_one() > 0);
}

static void limits_stay_where_they_are_lower(void **state)
{
    int status = 0;
    pid_t pid = fork();
    (void)state;
    if (pid == 0) {
        const struct rlimit low = {1000, 1000};
        struct rlimit now, core;
        bool good = setrlimit(RLIMIT_FSIZE, &low) == 0 && sandbox_limit_picture() &&
                    getrlimit(RLIMIT_FSIZE, &now) == 0 && getrlimit(RLIMIT_CORE, &core) == 0;
        _exit(good && now.rlim_max == 1000 && core.rlim_max == 0 ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

/* Seconds that a clock still has, rounded up; the kernel adds a tick. */
static int64_t seconds_left(__itimer_which_t clock)
{
    struct itimerval left;
    assert_int_equal(getitimer(clock, &left), 0);
    return left.it_value.tv_sec + (left.it_value.tv_usec > 0);
}

static void more_pixels_have_more_time(void **state)
{
    static const struct {
        int64_t pixels;
        int64_t cpu, wall; /* seconds */
    } rows[] = {{0, 5, 30}, {24000000, 11, 34}, {100000000, 30, 45}};
    const struct itimerval none = {{0, 0}, {0, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(sandbox_limit_time(rows[i].pixels));
        assert_in_range(seconds_left(ITIMER_PROF), rows[i].cpu - 4, rows[i].cpu + 1);
        assert_in_range(seconds_left(ITIMER_REAL), rows[i].wall - 4, rows[i].wall + 1);
    }
    assert_int_equal(setitimer(ITIMER_PROF, &none, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &none, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_possible_before),
        cmocka_unit_test(what_may_be_done),
        cmocka_unit_test(limits_stay_where_they_are_lower),
        cmocka_unit_test(more_pixels_have_more_time),
    };
    return RUN_TESTS(tests);
}
