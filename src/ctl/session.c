#include <stdio.h>

#include "auth/login.h"
#include "ctl/groups.h"

enum { ADD_USER, ADD_LIFETIME };

static const struct parameter add_parameters[] = {
    [ADD_USER] = {.name = "user",
                  .kind = VALUE_USER,
                  .required = true,
                  .value = "USER",
                  .meaning = "whose: identifier or email address"},
    [ADD_LIFETIME] = {.name = "lifetime",
                      .kind = VALUE_DURATION,
                      .value = "30d",
                      .meaning = "how long it lasts (session_lifetime of the configuration)"},
    PARAMETERS_END,
};

static int add(struct invocation *run)
{
    struct login_answer session = {0};
    const struct value *lifetime = &run->values[ADD_LIFETIME];
    const struct value *user = &run->values[ADD_USER];
    enum status status = login_start_session(
        run->batch, user->number,
        lifetime->text != NULL ? lifetime->number : run->config.session_lifetime, NULL, &session);
    if (status == STATUS_OK)
        printf("id=%lld; idrand=%s\n", (long long)session.user_id, session.token);
    return command_end(status, "user %s", user->text);
}

const struct command session_commands[] = {
    {.name = "add",
     .summary = "start a session for a user and print its cookies",
     .details = "The line fits curl -b and a Cookie header.",
     .parameters = add_parameters,
     .run = add},
    COMMANDS_END,
};
