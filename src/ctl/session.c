#include <stdio.h>

#include "auth/login.h"
#include "base/log.h"
#include "ctl/groups.h"
#include "store/session.h"

/* Add ---------------------------------------------------------------------------------------- */

enum { ADD_USER, ADD_LIFETIME };

static const struct parameter add_parameters[] = {
    [ADD_USER] = {USER_OPTION("user", "whose"), .required = true},
    [ADD_LIFETIME] = {.name = "lifetime",
                      .type = {VALUE_DURATION, RANGE(1, INT64_MAX)},
                      .value = "30d",
                      .meaning = "the lifetime of the session (session_lifetime of the "
                                 "configuration)"},
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

/* List --------------------------------------------------------------------------------------- */

enum { LIST_USER };

static const struct parameter list_parameters[] = {
    [LIST_USER] = {USER_OPTION("user", "only sessions of this user")},
    PARAMETERS_END,
};

static const char *const listed[] = {"session", "userID", "email", "created", "expires", NULL};

static int list(struct invocation *run)
{
    struct output_rows rows = {run->out, listed};
    enum status status = session_list(run->batch, run->values[LIST_USER].number, output_row, &rows);
    return command_end(status, "sessions");
}

/* Revoke ------------------------------------------------------------------------------------- */

enum { REVOKE_SESSION, REVOKE_USER };

static const struct parameter revoke_parameters[] = {
    [REVOKE_SESSION] = {.name = "SESSION",
                        .type = {VALUE_LINE, LINE_RANGE},
                        .operand = true,
                        .meaning = "one session, as session list shows it"},
    [REVOKE_USER] = {USER_OPTION("user", "all sessions of this user")},
    PARAMETERS_END,
};

static int revoke_one(struct invocation *run, const char *session)
{
    unsigned char hash[CRYPTO_DIGEST_SIZE];
    if (!crypto_from_hex(session, hash, sizeof hash)) {
        log_error("SESSION: '%s' is not %d hexadecimal digits", session, CRYPTO_DIGEST_DIGITS);
        return EXIT_USAGE;
    }
    enum status status = session_revoke(run->batch, hash);
    if (status == STATUS_OK)
        puts("1");
    return command_end(status, "session %s", session);
}

static int revoke(struct invocation *run)
{
    int64_t count = 0;
    const struct value *user = &run->values[REVOKE_USER];
    const char *session = run->values[REVOKE_SESSION].text;
    if ((session == NULL) == (user->text == NULL)) {
        log_error("either a SESSION or --user is needed, and not both");
        return EXIT_USAGE;
    }
    if (session != NULL)
        return revoke_one(run, session);
    enum status status = session_revoke_all(run->batch, user->number, &count);
    command_print(status, count);
    return command_end(status, "user %s", user->text);
}

/* Purge -------------------------------------------------------------------------------------- */

static const struct parameter no_parameters[] = {PARAMETERS_END};

static int purge(struct invocation *run)
{
    int64_t count = 0;
    enum status status = session_purge(run->batch, &count);
    command_print(status, count);
    return command_end(status, "sessions");
}

const struct command session_commands[] = {
    {.name = "add",
     .summary = "start a session for a user and print its cookies",
     .details = "The line fits curl -b and a Cookie header.",
     .parameters = add_parameters,
     .run = add},
    {.name = "list",
     .summary = "list the sessions that have not expired",
     .details =
         "The list names a session by the hash of the token; nobody can log in by this hash.",
     .parameters = list_parameters,
     .shows = SHOWS_LIST,
     .run = list},
    {.name = "revoke",
     .summary = "end one session, or all of a user, and print the number of ended sessions",
     .parameters = revoke_parameters,
     .run = revoke},
    {.name = "purge",
     .summary = "delete the expired sessions, and print their number",
     .details = "Expired sessions are good for nothing, and each login deletes the user's "
                "expired sessions. The command also deletes failed logins of more than a day "
                "ago, and expired records of signed requests.",
     .parameters = no_parameters,
     .run = purge},
    COMMANDS_END,
};
