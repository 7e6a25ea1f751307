#include <stdio.h>

#include "auth/password.h"
#include "cli/prompt.h"
#include "ctl/groups.h"
#include "store/user.h"

#define USER_PARAMETER                                                        \
    {                                                                         \
        .name = "USER", .type = {.kind = VALUE_USER}, OPERAND,                \
        .meaning = "the account: its identifier, or the user's email address" \
    }

/* Add ---------------------------------------------------------------------------------------- */

enum { ADD_EMAIL, ADD_NAME, ADD_ICON };

static const struct parameter add_parameters[] = {
    [ADD_EMAIL] = {.name = "email",
                   .type = {.kind = VALUE_EMAIL},
                   .required = true,
                   .value = "EMAIL",
                   .meaning = "what the user logs in with"},
    [ADD_NAME] = {.name = "name",
                  .type = {VALUE_LINE, LINE_RANGE},
                  .required = true,
                  .value = "NAME",
                  .meaning = "what others see"},
    [ADD_ICON] = {.name = "icon",
                  .type = {VALUE_LINE, NOTE_RANGE},
                  .value = "ADDRESS",
                  .meaning = "address of a picture"},
    PARAMETERS_END,
};

static enum status ask_password(const struct config *config, char hash[static PASSWORD_HASH_SIZE])
{
    const struct password_cost cost = {config->password_memory, config->password_operations};
    char *password = NULL;
    enum status status = prompt_password(&password);
    if (status == STATUS_OK)
        status = password_hash(password, &cost, hash);
    prompt_wipe(password);
    return status;
}

static int add(struct invocation *run)
{
    char hash[PASSWORD_HASH_SIZE];
    int64_t user_id = 0;
    const struct value *values = run->values;
    const struct user_fields fields = {
        .email = values[ADD_EMAIL].text,
        .name = values[ADD_NAME].text,
        .icon = values[ADD_ICON].text != NULL ? values[ADD_ICON].text : "",
        .password_hash = hash,
    };
    enum status status = ask_password(&run->config, hash);
    if (status == STATUS_OK)
        status = user_insert(run->batch, &fields, &user_id);
    if (status == STATUS_OK)
        printf("%lld\n", (long long)user_id);
    return command_end(status, "%s", fields.email);
}

/* Show --------------------------------------------------------------------------------------- */

enum { USER };

static const struct parameter user_parameters[] = {
    [USER] = USER_PARAMETER,
    PARAMETERS_END,
};

static const struct column shown[] = {
    {"userID", COLUMN_INTEGER},
    {"email", COLUMN_TEXT},
    {"name", COLUMN_TEXT},
    {"icon", COLUMN_TEXT},
    {"disabled", COLUMN_BOOLEAN},
    {"created", COLUMN_TIME},
    {"albums", COLUMN_INTEGER},
    {"POIs", COLUMN_INTEGER},
    {"blogs", COLUMN_INTEGER},
    {"comments", COLUMN_INTEGER},
    {"sessions", COLUMN_INTEGER},
    {"reward", COLUMN_INTEGER},
    COLUMNS_END,
};

static int show(struct invocation *run)
{
    const struct value *user = &run->values[USER];
    struct output_rows rows = {run->out, shown};
    return command_end(user_show(run->batch, user->number, output_row, &rows), "user %s",
                       user->text);
}

/* List --------------------------------------------------------------------------------------- */

enum { LIST_TEXT, LIST_MOST };

static const struct parameter list_parameters[] = {
    [LIST_TEXT] = {.name = "with",
                   .type = {VALUE_LINE, LINE_RANGE},
                   .value = "TEXT",
                   .meaning = "only those with this text in the name or the email address"},
    [LIST_MOST] = LIMIT_PARAMETER,
    PARAMETERS_END,
};

static const struct column listed[] = {
    {"userID", COLUMN_INTEGER},   {"email", COLUMN_TEXT},   {"name", COLUMN_TEXT},
    {"disabled", COLUMN_BOOLEAN}, {"created", COLUMN_TIME}, COLUMNS_END,
};

static int list(struct invocation *run)
{
    struct output_rows rows = {run->out, listed};
    enum status status = user_list(run->batch, run->values[LIST_TEXT].text,
                                   run->values[LIST_MOST].number, output_row, &rows);
    return command_end(status, "users");
}

/* Change ------------------------------------------------------------------------------------- */

enum { CHANGE_USER, CHANGE_TO };

static const struct parameter rename_parameters[] = {
    [CHANGE_USER] = USER_PARAMETER,
    [CHANGE_TO] = {.name = "NAME",
                   .type = {VALUE_LINE, LINE_RANGE},
                   OPERAND,
                   .meaning = "the new name"},
    PARAMETERS_END,
};

static const struct parameter icon_parameters[] = {
    [CHANGE_USER] = USER_PARAMETER,
    [CHANGE_TO] = {.name = "ADDRESS",
                   .type = {VALUE_LINE, NOTE_RANGE},
                   OPERAND,
                   .meaning = "of a picture; '' for none"},
    PARAMETERS_END,
};

static int change_name(struct invocation *run)
{
    const struct value *user = &run->values[CHANGE_USER];
    return command_end(user_rename(run->batch, user->number, run->values[CHANGE_TO].text),
                       "user %s", user->text);
}

static int change_icon(struct invocation *run)
{
    const struct value *user = &run->values[CHANGE_USER];
    return command_end(user_set_icon(run->batch, user->number, run->values[CHANGE_TO].text),
                       "user %s", user->text);
}

static int change_password(struct invocation *run)
{
    char hash[PASSWORD_HASH_SIZE];
    const struct value *user = &run->values[USER];
    enum status status = ask_password(&run->config, hash);
    if (status == STATUS_OK)
        status = user_set_password(run->batch, user->number, hash);
    return command_end(status, "user %s", user->text);
}

static int disable(struct invocation *run)
{
    const struct value *user = &run->values[USER];
    return command_end(user_set_disabled(run->batch, user->number, true), "user %s", user->text);
}

static int enable(struct invocation *run)
{
    const struct value *user = &run->values[USER];
    return command_end(user_set_disabled(run->batch, user->number, false), "user %s", user->text);
}

static int delete (struct invocation *run)
{
    const struct value *user = &run->values[USER];
    return command_end(user_delete(run->batch, user->number), "user %s", user->text);
}

const struct command user_commands[] = {
    {.name = "add",
     .summary = "add an account and print its identifier",
     .details = "The password is read from the terminal, or is one line of standard input.",
     .parameters = add_parameters,
     .run = add},
    {.name = "show",
     .summary = "show an account and how much it has",
     .parameters = user_parameters,
     .shows = SHOWS_ONE,
     .run = show},
    {.name = "list",
     .summary = "list the accounts",
     .parameters = list_parameters,
     .shows = SHOWS_LIST,
     .run = list},
    {.name = "passwd",
     .summary = "set another password; the user's sessions end",
     .details = "The password is read from the terminal, or is one line of standard input.",
     .parameters = user_parameters,
     .run = change_password},
    {.name = "rename",
     .summary = "change the name that others see",
     .parameters = rename_parameters,
     .run = change_name},
    {.name = "icon",
     .summary = "change the picture of an account",
     .parameters = icon_parameters,
     .run = change_icon},
    {.name = "disable",
     .summary = "keep a user from logging in; the user's sessions end",
     .details = "What the user wrote stays.",
     .parameters = user_parameters,
     .run = disable},
    {.name = "enable",
     .summary = "let a disabled user log in again",
     .parameters = user_parameters,
     .run = enable},
    {.name = "delete",
     .summary = "delete an account with everything that it owns or wrote",
     .parameters = user_parameters,
     .destroys = "deletes the account with its albums, places, blogs and comments for good",
     .run = delete},
    COMMANDS_END,
};
