#include "cli/prompt.h"

#include <poll.h>
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

/* readpassphrase(3) of libbsd does not hide what is typed at a terminal that does not control the
 * session, which is where "su USER -c" leaves its command. */
static char *ask(const char *prompt, const struct termios *shown)
{
    struct termios hidden = *shown;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    fputs(prompt, stderr); /* after that, which throws away what was typed before */
    char *line = read_line();
    tcsetattr(STDIN_FILENO, TCSAFLUSH, shown);
    fputc('\n', stderr);
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
