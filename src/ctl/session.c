#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "auth/login.h"
#include "base/log.h"
#include "base/text.h"
#include "ctl/command.h"
#include "store/registry.h"

static bool read_options(int argc, char **argv, int64_t *user_id, int64_t *lifetime)
{
    static const struct option options[] = {
        {"user", required_argument, NULL, 'u'},
        {"lifetime", required_argument, NULL, 'l'},
        {0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'u' && !text_to_integer(optarg, user_id))
            return false;
        if (option == 'l' && config_duration(optarg, lifetime) != STATUS_OK)
            return false;
        if (option == '?')
            return false;
    }
    return optind == argc && *user_id > 0 && *lifetime > 0;
}

int command_session_add(const struct command *command, const struct config *config, int argc,
                        char **argv)
{
    int64_t user_id = 0, lifetime = config->session_lifetime;
    struct login_answer session = {0};
    struct command_db database;
    if (!read_options(argc, argv, &user_id, &lifetime))
        return command_usage(command);
    command_db_open(&database, config, config->database, store_registry);
    enum status status = login_start_session(database.batch, user_id, lifetime, NULL, &session);
    command_db_close(&database);
    if (status != STATUS_OK) {
        log_error("user %lld: %s", (long long)user_id, status_text(status));
        return EXIT_FAILURE;
    }
    printf("id=%lld; idrand=%s\n", (long long)session.user_id, session.token);
    return EXIT_SUCCESS;
}
