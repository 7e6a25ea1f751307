#include "cli/prompt.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "model/user.h"

/* A line of standard input without its end. */
static char *read_line(void)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length = getline(&line, &size, stdin);
    if (length > 0 && line[length - 1] == '\n')
        line[--length] = '\0';
    /* What has a NUL in it is no password, nor is nothing. */
    if (line != NULL && (length <= 0 || strlen(line) != (size_t)length))
        *line = '\0';
    return line;
}

void prompt_wipe(char *password)
{
    if (password != NULL)
        explicit_bzero(password, strlen(password));
    free(password);
}

/* Signals that end or stop a process at its terminal. */
static const int interruptions[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
enum { INTERRUPTIONS = sizeof interruptions / sizeof *interruptions };

static volatile sig_atomic_t interruption;

static void interrupt(int number)
{
    interruption = number;
}

/* How signals were taken before. */
struct signals {
    struct sigaction actions[INTERRUPTIONS];
    sigset_t mask;
};

/* A signal that the parent ignores stays ignored. The others wait until a line is waited for. */
static void catch_interruptions(struct signals *before)
{
    const struct sigaction action = {.sa_handler = interrupt};
    sigset_t blocked;
    interruption = 0;
    sigemptyset(&blocked);
    for (int i = 0; i < INTERRUPTIONS; i++)
        sigaddset(&blocked, interruptions[i]);
    sigprocmask(SIG_BLOCK, &blocked, &before->mask);
    for (int i = 0; i < INTERRUPTIONS; i++) {
        sigaction(interruptions[i], NULL, &before->actions[i]);
        if (before->actions[i].sa_handler != SIG_IGN)
            sigaction(interruptions[i], &action, NULL);
    }
}

/* A signal that was caught takes effect here. */
static void release_interruptions(const struct signals *before)
{
    for (int i = 0; i < INTERRUPTIONS; i++)
        sigaction(interruptions[i], &before->actions[i], NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
    if (interruption != 0)
        raise(interruption);
}

/* NULL if a signal came first. */
static char *await_line(const struct signals *before)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return ppoll(&input, 1, NULL, &before->mask) < 0 ? NULL : read_line();
}

/* readpassphrase(3) of libbsd does not hide letters at a terminal that does not control the
 * session, which "su USER -c" gives to its command. A shell does not turn the echo on again after a
 * signal, so the signal takes effect behind tcsetattr(). */
static char *ask_once(const char *prompt, const struct termios *shown)
{
    struct signals before;
    struct termios hidden = *shown;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    catch_interruptions(&before);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    fputs(prompt, stderr); /* after that, which throws away what was typed before */
    char *line = await_line(&before);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, shown);
    fputc('\n', stderr);
    release_interruptions(&before);
    return line;
}

/* A process that was stopped and goes on asks again. */
static char *ask(const char *prompt, const struct termios *shown)
{
    char *line = ask_once(prompt, shown);
    while (interruption != 0) {
        prompt_wipe(line);
        line = ask_once(prompt, shown);
    }
    return line;
}

/* Nobody sees what is typed, so it is typed twice. */
static bool is_repeated(const char *password, const struct termios *shown)
{
    char *again = ask("Once more: ", shown);
    bool same = again != NULL && strcmp(password, again) == 0;
    if (!same)
        log_error("password: typed differently the second time");
    prompt_wipe(again);
    return same;
}

enum status prompt_password(char **password)
{
    struct termios shown;
    bool terminal = tcgetattr(STDIN_FILENO, &shown) == 0;
    *password = terminal ? ask("Password: ", &shown) : read_line();
    if (*password == NULL || !text_is_line(*password, 1, PASSWORD_MOST)) {
        log_error("password: not one line of 1 to %d characters", PASSWORD_MOST);
        return STATUS_PARAMETER_INVALID;
    }
    return terminal && !is_repeated(*password, &shown) ? STATUS_PARAMETER_INVALID : STATUS_OK;
}

char *prompt_line(const char *question)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || poll(&input, 1, 0) != 0)
        return NULL;
    fputs(question, stderr);
    return read_line();
}
