#include <poll.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/crypto.h"
#include "ctl/visit.h"
#include "mail/texts.h"
#include "store/mail.h"
#include "store/registry.h"
#include "store/trial.h"

enum {
    LATE = 15 * 60, /* seconds that no mail should wait */
    /* Milliseconds: */
    ANSWER_MOST = 15000,
    ASK_EACH = 5000, /* as a sender may just connect to the database */
    LOOK_EACH = 500
};

static const char advice_of_texts[] =
    "mend what is named above, or bring back the files of the package, then: "
    "sudo systemctl reload mapdiary";

static const char advice_of_sender[] =
    "sudo systemctl enable mapdiary-mail && sudo systemctl restart mapdiary-mail; "
    "if that does not help: sudo journalctl -u mapdiary-mail says why";

static const char advice_of_server[] =
    "let 'mail_server', 'mail_tls' and 'mail_ca_file' in %s be right for the mail server, and "
    "/etc/mapdiary/mail.credentials have the name and password there, then: "
    "sudo systemctl restart mapdiary-mail";

/* The sender ----------------------------------------------------------------------------------- */

struct question {
    char asker[CRYPTO_TOKEN_DIGITS + 1];
    bool is_answered, is_let_in;
    char reply[500];
};

static void take_answer(void *context, const char *words)
{
    struct question *question = context;
    const char *reply = "";
    if (!mail_answer_read(words, question->asker, &question->is_let_in, &reply))
        return;
    question->is_answered = true;
    snprintf(question->reply, sizeof question->reply, "%s", reply);
}

/* An answer may have come along with the results of a question. */
static void wait_for_answer(struct db *db)
{
    if (db_was_notified(db))
        return;
    struct pollfd server = {.fd = -1};
    int64_t wait = db_wants(db, &server);
    poll(&server, 1, wait >= 0 && wait < LOOK_EACH ? (int)wait : LOOK_EACH);
    db_advance(db);
}

/* A sender answers that reaches the database, and is no longer than seconds at a mail. */
static void ask_sender(const struct visit *visit, struct question *question)
{
    struct trial trial;
    int64_t end = clock_milliseconds() + ANSWER_MOST, again = 0;
    crypto_token(question->asker);
    trial_open(&trial, visit->config.database, mail_asking_registry);
    trial.options.notified = take_answer;
    trial.options.context = question;
    while (!question->is_answered && clock_milliseconds() < end) {
        if (clock_milliseconds() >= again && mail_ask(trial.batch, question->asker) != STATUS_OK)
            break;
        if (clock_milliseconds() >= again)
            again = clock_milliseconds() + ASK_EACH;
        wait_for_answer(trial.db);
    }
    trial_close(&trial);
}

/* Without a need for mails, a machine has no mail server. */
static void report_sender(struct visit *visit, int64_t waiting)
{
    struct question question = {.is_answered = false};
    const struct config *config = &visit->config;
    if (config->registration == REGISTRATION_CLOSED && *config->doctor_mail == '\0' && waiting == 0)
        return;
    ask_sender(visit, &question);
    const char *advice = question.is_answered
                             ? visit_advise(visit, advice_of_server, visit->run->config_path)
                             : advice_of_sender;
    visit_find(visit, "mail server", question.is_let_in, advice, "%s: %s", config->mail_server,
               !question.is_answered ? "no mapdiary-mail answers"
               : question.is_let_in  ? "it takes mails"
                                     : question.reply);
}

/* By the database that the doctor has found good. */
static void report_queue(struct visit *visit)
{
    struct mail_queue queue = {0};
    struct trial trial;
    trial_open(&trial, visit->config.database, store_registry);
    enum status status = mail_look(trial.batch, &queue);
    trial_close(&trial);
    if (status != STATUS_OK) /* of which there is a finding already */
        return;
    visit_find(visit, "mail", queue.oldest < LATE,
               "systemctl status mapdiary-mail; sudo mapdiaryctl mail list tells why they wait",
               "%lld mails wait, the first for %lld minutes", (long long)queue.waiting,
               (long long)queue.oldest / 60);
    report_sender(visit, queue.waiting);
}

void visit_mail(struct visit *visit)
{
    struct mail_texts *texts = mail_texts_read(visit->config.mail_directory);
    if (texts == NULL)
        visit_find(visit, "mail", false, advice_of_texts, "%s: cannot be used, see above",
                   visit->config.mail_directory);
    else if (visit->has_database)
        report_queue(visit);
    mail_texts_free(&texts);
}
