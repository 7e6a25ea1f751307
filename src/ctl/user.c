#include <stdio.h>

#include "auth/password.h"
#include "base/log.h"
#include "cli/prompt.h"
#include "ctl/change.h"
#include "ctl/decide.h"
#include "ctl/groups.h"
#include "ctl/picture.h"
#include "store/account.h"
#include "store/photo_file.h"
#include "store/user.h"

#define USER_PARAMETER             \
    {.name = "USER",               \
     .type = {.kind = VALUE_USER}, \
     OPERAND,                      \
     .meaning = "the account: its identifier, or the user's email address"}

/* Add ---------------------------------------------------------------------------------------- */

enum { EMAIL, NAME, ICON, ICON_FILE, CHANGED_USER };

#define EMAIL_PARAMETER                                               \
    .name = "email", .type = {.kind = VALUE_EMAIL}, .value = "EMAIL", \
    .meaning = "the email address for logins"
#define NAME_PARAMETER                                                 \
    .name = "name", .type = {VALUE_LINE, LINE_RANGE}, .value = "NAME", \
    .meaning = "the name that others see"
#define ICON_PARAMETER                                                    \
    .name = "icon", .type = {VALUE_LINE, NOTE_RANGE}, .value = "ADDRESS", \
    .meaning = "address of a picture; '' for none"

static const struct parameter add_parameters[] = {
    [EMAIL] = {EMAIL_PARAMETER, .required = true},
    [NAME] = {NAME_PARAMETER, .required = true},
    [ICON] = {ICON_PARAMETER},
    PARAMETERS_END,
};

static const struct parameter update_parameters[] = {
    [EMAIL] = {EMAIL_PARAMETER},
    [NAME] = {NAME_PARAMETER},
    [ICON] = {ICON_PARAMETER},
    [ICON_FILE] = {.name = "icon-file",
                   .type = {.kind = VALUE_PATH},
                   .value = "FILE",
                   .meaning = "a picture, to be kept like an uploaded icon"},
    [CHANGED_USER] = USER_PARAMETER,
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
        .email = values[EMAIL].text,
        .name = values[NAME].text,
        .icon = values[ICON].text != NULL ? values[ICON].text : "",
        .password_hash = hash,
    };
    enum status status = ask_password(&run->config, hash);
    if (status == STATUS_OK)
        status = user_insert(run->batch, &fields, &user_id);
    command_print(status, user_id);
    return command_end(status, "%s", fields.email);
}

/* Show --------------------------------------------------------------------------------------- */

enum { USER };

static const struct parameter user_parameters[] = {
    [USER] = USER_PARAMETER,
    PARAMETERS_END,
};

static const char *const shown[] = {"userID",   "email",    "name",   "icon", "disabled",
                                    "blocked",  "created",  "albums", "POIs", "blogs",
                                    "comments", "sessions", "reward", NULL};

static int show(struct invocation *run)
{
    const struct value *user = &run->values[USER];
    struct output_rows rows = {run->out, shown};
    return command_end(user_show(run->batch, user->number, output_row, &rows), "user %s",
                       user->text);
}

/* List --------------------------------------------------------------------------------------- */

enum { LIST_TEXT, LIST_PART };

static const struct parameter list_parameters[] = {
    [LIST_TEXT] = {.name = "with",
                   .type = {VALUE_LINE, LINE_RANGE},
                   .value = "TEXT",
                   .meaning = "only accounts with this text in the name or the email address"},
    [LIST_PART] = PART_PARAMETERS,
    PARAMETERS_END,
};

static const char *const listed[] = {"userID",  "email",   "name", "disabled",
                                     "blocked", "created", NULL};

static int list(struct invocation *run)
{
    const struct value *values = run->values;
    const struct list_part part = part_of(&values[LIST_PART]);
    struct output_rows rows = {run->out, listed};
    enum status status = user_list(run->batch, values[LIST_TEXT].text, &part, output_row, &rows);
    return command_end(status, "users");
}

/* Change ------------------------------------------------------------------------------------- */

static enum status make_icon(struct invocation *run, const char *path, struct user_icon *icon)
{
    struct picture_maker maker;
    enum status status = picture_maker_open(&maker, &run->config);
    if (status == STATUS_OK)
        status = photo_file_hold(run->batch);
    if (status == STATUS_OK)
        status = picture_make_icon(&maker, path, icon);
    picture_maker_close(&maker);
    return status;
}

/* In one transaction. */
static enum status change_user(struct invocation *run, const struct user_fields *fields,
                               const struct user_change *change)
{
    const struct db_rows *published = NULL;
    int64_t user_id = run->values[CHANGED_USER].number;
    bool changes_icon = fields->icon != NULL || change->changes_icon;
    change_begin(run);
    enum status status = user_edit(run->batch, user_id, fields, &published);
    if (status == STATUS_OK && change->changes_icon) {
        change_begin(run);
        status = user_change(run->batch, user_id, change, &published);
    }
    return change_finish(run, status, changes_icon ? published : NULL);
}

static bool has_one_icon(const struct value *values)
{
    bool has_both = values[ICON].text != NULL && values[ICON_FILE].text != NULL;
    if (has_both)
        log_error("--icon, --icon-file: not both");
    return !has_both;
}

static int update(struct invocation *run)
{
    const struct value *values = run->values;
    const struct user_fields fields = {
        .email = values[EMAIL].text, .name = values[NAME].text, .icon = values[ICON].text};
    struct user_icon icon;
    const struct user_change change = {.changes_icon = values[ICON_FILE].text != NULL,
                                       .icon = &icon};
    if (!change_is_given(run) || !has_one_icon(values))
        return EXIT_USAGE;
    enum status status =
        change.changes_icon ? make_icon(run, values[ICON_FILE].text, &icon) : STATUS_OK;
    if (status == STATUS_OK)
        status = change_user(run, &fields, &change);
    return status == STATUS_CONFLICT ? command_end(status, "%s", fields.email)
                                     : command_end(status, "user %s", values[CHANGED_USER].text);
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

static int delete(struct invocation *run)
{
    const struct value *user = &run->values[USER];
    const struct db_rows *published = NULL;
    change_begin(run);
    enum status status = user_delete(run->batch, user->number, &published);
    return command_end(change_finish(run, status, published), "user %s", user->text);
}

/* Invite ------------------------------------------------------------------------------------- */

enum { INVITE_LIFETIME };

static const struct parameter invite_parameters[] = {
    [INVITE_LIFETIME] = {.name = "lifetime",
                         .type = {VALUE_DURATION, RANGE(1000, 3650 * 86400000LL)},
                         .value = "30d",
                         .meaning = "the lifetime of the invitation (30d)"},
    PARAMETERS_END,
};

static int invite(struct invocation *run)
{
    struct account_token token;
    const struct value *lifetime = &run->values[INVITE_LIFETIME];
    enum status status = account_token_make(&token);
    if (status == STATUS_OK)
        status = account_invite(run->batch, token.hash,
                                lifetime->text != NULL ? lifetime->number : 30 * 86400000LL);
    if (status == STATUS_OK)
        printf("invitation=%s\n", token.text);
    return command_end(status, "invitation");
}

/* Decide ------------------------------------------------------------------------------------- */

static const struct parameter block_parameters[] = DECIDE_PARAMETERS(USER_PARAMETER, true);
static const struct parameter unblock_parameters[] = DECIDE_PARAMETERS(USER_PARAMETER, false);

const struct command user_commands[] = {
    {.name = "add",
     .summary = "add an account and print its identifier",
     .details = "The password is read from the terminal, or is one line of standard input.",
     .parameters = add_parameters,
     .run = add},
    {.name = "show",
     .summary = "show an account and its counts",
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
     .details = "The password is read from the terminal, or is one line of standard input. Earlier "
                "mails to the user for setting a password are void.",
     .parameters = user_parameters,
     .run = change_password},
    {.name = "update",
     .summary = "change the given values, and leave the rest",
     .details =
         "The user's sessions go on; user passwd ends them. With another email address, mails "
         "to the former address are void.",
     .parameters = update_parameters,
     .run = update},
    {.name = "invite",
     .summary = "make an invitation for one account, and print the invitation",
     .details = "If the key 'registration' of the configuration says invited, a new account "
                "needs an invitation. The proof of the account's address uses the invitation up.",
     .parameters = invite_parameters,
     .run = invite},
    {.name = "disable",
     .summary = "keep a user from logging in; the user's sessions end",
     .details = "All that the user wrote stays. The user gets no mail any more, and earlier "
                "mails are void.",
     .parameters = user_parameters,
     .run = disable},
    {.name = "enable",
     .summary = "let a disabled user log in again",
     .parameters = user_parameters,
     .run = enable},
    {.name = "block",
     .summary = "keep a user from logging in, and tell the user why; the sessions end at once",
     .details =
         "All that the user wrote stays, unless it is hidden. A login with the right password\n"
         "says that the account is blocked. user disable tells nobody.",
     .parameters = block_parameters,
     .run = decide_about},
    {.name = "unblock",
     .summary = "let a blocked user log in again",
     .details = "The user is told by mail.",
     .parameters = unblock_parameters,
     .run = decide_about},
    {.name = "delete",
     .summary = "delete an account with all that the user owns or wrote",
     .parameters = user_parameters,
     .destroys = "deletes the account with its albums, places, blogs and comments for good",
     .run = delete},
    COMMANDS_END,
};
