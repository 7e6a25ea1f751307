#include "store/mail.h"
#include "base/log.h"
#include "ctl/groups.h"

/* List --------------------------------------------------------------------------------------- */

enum { LIST_STATE, LIST_PART };

/* As the enumeration of the schema. */
static const char *const states[] = {"waiting", "sent", "failed", NULL};

static const struct parameter list_parameters[] = {
    [LIST_STATE] = {.name = "state",
                    .type = {.kind = VALUE_CHOICE, .words = states},
                    .value = "STATE",
                    .meaning = "only mails that are waiting, sent or failed"},
    [LIST_PART] = PART_PARAMETERS,
    PARAMETERS_END,
};

static const char *const listed[] = {"mail", "state", "recipient", "attempts", "written",
                                     "next", "ended", "reply",     NULL};

static int list(struct invocation *run)
{
    const struct value *values = run->values;
    const struct list_part part = part_of(&values[LIST_PART]);
    struct output_rows rows = {run->out, listed};
    return command_end(mail_list(run->batch, values[LIST_STATE].text, &part, output_row, &rows),
                       "mails");
}

/* One ---------------------------------------------------------------------------------------- */

enum { MAIL };

static const struct parameter mail_parameters[] = {
    [MAIL] = ID_OPERAND("MAIL", "the mail, by its identifier"),
    PARAMETERS_END,
};

static const char *const shown[] = {"mail",     "state",   "userID", "recipient", "messageID",
                                    "attempts", "written", "next",   "ended",     "expires",
                                    "reply",    "subject", "text",   NULL};

static int show(struct invocation *run)
{
    const struct value *mail = &run->values[MAIL];
    struct output_rows rows = {run->out, shown};
    return command_end(mail_show(run->batch, mail->number, output_row, &rows), "mail %s",
                       mail->text);
}

static int retry(struct invocation *run)
{
    const struct value *mail = &run->values[MAIL];
    enum status status = mail_retry(run->batch, mail->number);
    if (status == STATUS_CONFLICT) {
        log_error("mail %s: the mail was sent or has expired", mail->text);
        return EXIT_REFUSED;
    }
    return command_end(status, "mail %s", mail->text);
}

const struct command mail_commands[] = {
    {.name = "list",
     .summary = "list the mails of the last 30 days",
     .details = "mapdiary-mail sends the mails. The list tells the last reply of the mail "
                "server to each mail.",
     .parameters = list_parameters,
     .shows = SHOWS_LIST,
     .run = list},
    {.name = "show",
     .summary = "show a mail",
     .details =
         "The text stays until the mail is sent or expires. The text may hold a token, with\n"
         "which any reader can do the act that the mail is about.",
     .parameters = mail_parameters,
     .shows = SHOWS_ONE,
     .run = show},
    {.name = "retry",
     .summary = "have a failed or waiting mail sent now",
     .details = "A mail that is being sent stays with its sender.",
     .parameters = mail_parameters,
     .run = retry},
    COMMANDS_END,
};
