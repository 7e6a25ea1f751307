#include "decoder/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "decoder/allocation.h"
#include "decoder/sandbox.h"

enum { EXIT_DONE, EXIT_FAULT, EXIT_NO_MEMORY };

/* In the process ------------------------------------------------------------------------------- */

static void close_others(const struct render_job *job, int result)
{
    for (int i = STDERR_FILENO + 1; i < PROCESS_DESCRIPTORS; i++)
        if (i != job->input && i != job->large && i != job->small && i != result)
            close(i);
}

/* What libraries print is not for the log. */
static bool has_nothing_else(const struct render_job *job, int result, int null)
{
    bool good = true;
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        good = good && dup2(null, i) == i;
    close_others(job, result);
    return good;
}

static void run(const struct request *request, pid_t parent, int result, int null)
{
    struct render_result done;
    prctl(PR_SET_NAME, "mapd-picture"); /* of 15 bytes at most */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent ||
        !has_nothing_else(&request->job, result, null) || !sandbox_limit_picture() ||
        !sandbox_limit_time(0) || !sandbox_enter_picture())
        _exit(EXIT_FAULT);
    allocation_end_with(EXIT_NO_MEMORY);
    render(&request->job, &done);
    bool is_told = write(result, &done, sizeof done) == sizeof done;
    _exit(is_told ? EXIT_DONE : EXIT_FAULT);
}

/* Around it ------------------------------------------------------------------------------------ */

static pid_t start(const struct request *request, const int *pipe_ends, int null)
{
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        run(request, parent, pipe_ends[1], null);
    if (pid < 0)
        log_error("fork: %s", strerror(errno));
    return pid;
}

void process_start(struct process *process, struct request *request, int null, int64_t limit)
{
    int ends[2] = {-1, -1};
    *process = (struct process){.end = clock_milliseconds() + limit};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        log_error("pipe: %s", strerror(errno));
    else
        process->pid = start(request, ends, null);
    if (ends[1] >= 0)
        close(ends[1]);
    if (process->pid > 0) {
        process->reply = request->reply;
        process->result = ends[0];
        request->reply = -1;
    } else {
        process->pid = 0;
        if (ends[0] >= 0)
            close(ends[0]);
    }
    request_close(request);
}

void process_cut(struct process *process)
{
    process->is_cut = true;
    kill(process->pid, SIGKILL);
}

/* What became of it ---------------------------------------------------------------------------- */

static bool is_out_of_time(int signal)
{
    return signal == SIGPROF || signal == SIGALRM || signal == SIGXCPU;
}

/* What the kernel kills took too much. */
static enum decoder_outcome outcome_of_signal(int signal)
{
    bool took_too_much = is_out_of_time(signal) || signal == SIGKILL || signal == SIGXFSZ;
    return took_too_much ? DECODER_TOO_LARGE : DECODER_UNREADABLE;
}

static void report_signal(int signal)
{
    if (is_out_of_time(signal))
        log_info("a picture is refused: it takes too long");
    else
        log_warning("the process of a picture was ended by signal %d", signal);
}

static bool read_result(const struct process *process, struct render_result *result)
{
    bool is_whole = read(process->result, result, sizeof *result) == sizeof *result &&
                    result->reply.outcome < DECODER_OUTCOMES;
    result->complaint[sizeof result->complaint - 1] = '\0';
    result->complaint[strcspn(result->complaint, "\n")] = '\0';
    return is_whole;
}

static struct decoder_reply conclude(const struct process *process, int status)
{
    struct render_result result = {{0}, ""};
    if (WIFSIGNALED(status)) {
        report_signal(WTERMSIG(status));
        return (struct decoder_reply){.outcome = outcome_of_signal(WTERMSIG(status))};
    }
    if (WEXITSTATUS(status) == EXIT_NO_MEMORY) {
        log_info("a picture is refused: it takes too much memory");
        return (struct decoder_reply){.outcome = DECODER_TOO_LARGE};
    }
    if (WEXITSTATUS(status) != EXIT_DONE || !read_result(process, &result)) {
        log_error("the process of a picture ended with status %d", WEXITSTATUS(status));
        return (struct decoder_reply){.outcome = DECODER_UNREADABLE};
    }
    if (result.reply.outcome != DECODER_MADE)
        log_info("a picture is refused: %s", result.complaint);
    return result.reply;
}

void process_ended(struct process *process, int status)
{
    const struct decoder_reply reply = conclude(process, status);
    ssize_t sent = send(process->reply, &reply, sizeof reply, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)sent; /* to nobody, where they left */
    close(process->reply);
    close(process->result);
    process->pid = 0;
}
