#include "jobs/report.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>

#include "base/buffer.h"
#include "base/crypto.h"
#include "base/log.h"
#include "jobs/account.h"
#include "jobs/smtp.h"
#include "mail/message.h"

enum { TEXT_MOST = 64 << 10, LINE_SIZE = 4096 };

static void add_line(struct buffer *text, const char *line)
{
    for (const char *at = line; *at != '\0'; at++) {
        if (*at == '\t')
            buffer_add_text(text, "\n    ");
        else if (*at == '\n' || (unsigned char)*at >= ' ')
            buffer_add(text, at, 1);
    }
}

static void read_input(struct buffer *text)
{
    char line[LINE_SIZE];
    while (text->length < TEXT_MOST && fgets(line, sizeof line, stdin) != NULL)
        add_line(text, line);
    buffer_add(text, "", 1);
}

static void keep_alive(void)
{
}

static int hand_in(const struct config *config, const char *text)
{
    struct account_file account;
    struct buffer mail = {0};
    char id[CRYPTO_TOKEN_DIGITS + 1], subject[300],
        reply[SMTP_REPLY_SIZE] = "no address that a mail can have";
    enum smtp_outcome outcome = SMTP_NEVER;
    crypto_token(id);
    snprintf(subject, sizeof subject, "%s: something is wrong", config->public_url);
    const struct message message = {.from_name = config->site_name,
                                    .from = config->mail_from,
                                    .to = config->doctor_mail,
                                    .id = id,
                                    .date = (int64_t)time(NULL),
                                    .text = {subject, text}};
    if (account_read(config, &account) && message_write(&message, &mail))
        outcome =
            smtp_send(config, &account.account, config->doctor_mail, &mail, keep_alive, reply);
    account_forget(&account);
    buffer_free(&mail);
    if (outcome != SMTP_SENT)
        log_error("the report to %s: %s", config->doctor_mail, reply);
    return outcome == SMTP_SENT ? EX_OK : EX_TEMPFAIL;
}

int report_send(const struct config *config)
{
    struct buffer text = {0};
    int status = EX_OK;
    read_input(&text);
    if (text.length <= 1)
        status = EX_NOINPUT;
    else if (*config->doctor_mail == '\0')
        log_warning("%s", text.data);
    else
        status = smtp_open() ? hand_in(config, text.data) : EX_TEMPFAIL;
    smtp_close();
    buffer_free(&text);
    return status;
}
