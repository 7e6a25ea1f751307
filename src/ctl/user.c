#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "auth/password.h"
#include "base/log.h"
#include "base/text.h"
#include "ctl/command.h"
#include "store/registry.h"
#include "store/user.h"

/* A line of standard input, without echo and with a prompt where that is a terminal. The caller
 * frees it. */
static char *read_password(void)
{
    struct termios shown, hidden;
    bool terminal = tcgetattr(STDIN_FILENO, &shown) == 0;
    if (terminal) {
        hidden = shown;
        hidden.c_lflag &= ~(tcflag_t)ECHO;
        fputs("Password: ", stderr);
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    }
    char *line = NULL;
    size_t size = 0;
    ssize_t length = getline(&line, &size, stdin);
    if (terminal) {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
        fputc('\n', stderr);
    }
    if (length > 0 && line[length - 1] == '\n')
        line[length - 1] = '\0';
    if (length <= 0)
        *line = '\0';
    return line;
}

static bool read_options(int argc, char **argv, struct user_fields *fields)
{
    static const struct option options[] = {
        {"email", required_argument, NULL, 'e'},
        {"name", required_argument, NULL, 'n'},
        {"icon", required_argument, NULL, 'i'},
        {0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'e':
            fields->email = optarg;
            break;
        case 'n':
            fields->name = optarg;
            break;
        case 'i':
            fields->icon = optarg;
            break;
        default:
            return false;
        }
    }
    return optind == argc && fields->email != NULL && fields->name != NULL;
}

static bool is_line(const char *what, const char *text, int64_t least, int64_t most)
{
    bool right = text_is_line(text, least, most);
    if (!right)
        log_error("%s: not one line of %lld to %lld characters", what, (long long)least,
                  (long long)most);
    return right;
}

static bool check(const struct user_fields *fields, const char *password)
{
    return is_line("email", fields->email, 1, TEXT_LINE_MOST) &&
           is_line("name", fields->name, 1, TEXT_LINE_MOST) &&
           is_line("icon", fields->icon, 0, 2000) && is_line("password", password, 1, 1024);
}

static enum status add(const struct config *config, struct user_fields *fields,
                       const char *password, int64_t *user_id)
{
    struct command_db database;
    char hash[PASSWORD_HASH_SIZE];
    const struct password_cost cost = {config->password_memory, config->password_operations};
    enum status status = password_hash(password, &cost, hash);
    if (status != STATUS_OK)
        return status;
    fields->password_hash = hash;
    command_db_open(&database, config, config->database, store_registry);
    status = user_insert(database.batch, fields, user_id);
    command_db_close(&database);
    fields->password_hash = NULL;
    return status;
}

int command_user_add(const struct command *command, const struct config *config, int argc,
                     char **argv)
{
    struct user_fields fields = {.icon = ""};
    int64_t user_id = 0;
    if (!read_options(argc, argv, &fields))
        return command_usage(command);
    char *password = read_password();
    enum status status = STATUS_PARAMETER_INVALID;
    if (check(&fields, password)) {
        status = add(config, &fields, password, &user_id);
        if (status != STATUS_OK)
            log_error("%s: %s", fields.email, status_text(status));
    }
    explicit_bzero(password, strlen(password));
    free(password);
    if (status != STATUS_OK)
        return EXIT_FAILURE;
    printf("%lld\n", (long long)user_id);
    return EXIT_SUCCESS;
}
