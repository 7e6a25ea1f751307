#include "jobs/delivery.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "mail/message.h"
#include "run/notify.h"

enum {
    LEASE = 10 * 60000, /* milliseconds; longer than any transfer */
    SWEEP_EACH = 30000,
    LAST_CALL = 5000,   /* for the database, at the end */
    BACKOFF_MOST = 240, /* times mail_retry */
    PAUSE_MOST = 15,    /* the same, of all mails */
    DOUBLINGS_MOST = 20,
    DUE_AGAIN = 100, /* milliseconds until a mail is looked for again that was due, but locked */
};

static void take_config(struct delivery *delivery, const struct config *config,
                        const struct db_options *options)
{
    delivery->config = config;
    delivery->db = db_new(options);
    if (!account_read(config, &delivery->account))
        log_warning("mails are handed in without a name");
}

void delivery_open(struct delivery *delivery, const struct config *config,
                   const struct db_options *options)
{
    *delivery = (struct delivery){.arena = arena_new()};
    take_config(delivery, config, options);
}

void delivery_reopen(struct delivery *delivery, const struct config *config,
                     const struct db_options *options)
{
    account_forget(&delivery->account);
    db_free(&delivery->db);
    delivery->pause = delivery->paused_until = 0;
    take_config(delivery, config, options);
}

void delivery_close(struct delivery *delivery)
{
    account_forget(&delivery->account);
    db_free(&delivery->db);
    arena_free(&delivery->arena);
}

static struct db_batch *new_batch(struct delivery *delivery)
{
    db_start_request(delivery->db, "mail");
    return db_batch_new(delivery->db, delivery->arena);
}

/* Noting --------------------------------------------------------------------------------------- */

static int64_t smaller(int64_t one, int64_t other)
{
    return one < other ? one : other;
}

static int64_t backoff(const struct delivery *delivery)
{
    int64_t doublings = smaller(delivery->mail.attempts - 1, DOUBLINGS_MOST);
    return delivery->config->mail_retry *
           smaller(INT64_C(1) << (doublings > 0 ? doublings : 0), BACKOFF_MOST);
}

/* A mail server that is away for one is so for all. */
static void pause_all(struct delivery *delivery)
{
    int64_t most = PAUSE_MOST * delivery->config->mail_retry;
    delivery->pause = delivery->pause == 0 ? (delivery->config->mail_retry + 3) / 4
                                           : smaller(2 * delivery->pause, most);
    delivery->paused_until = clock_milliseconds() + delivery->pause;
}

/* How long the codes are with which the mail server begins (RFC 3463): its words may have the
 * address in them, or the text. */
static int codes_of(const char *reply)
{
    size_t code = strspn(reply, "0123456789");
    size_t detail = code > 0 && reply[code] != '\0' ? strspn(reply + code + 1, "0123456789.") : 0;
    return (int)(detail > 0 ? code + 1 + detail : code);
}

/* What is said about it on this side, behind what the mail server has said, or alone. */
static const char *own_words(const struct delivery *delivery, int codes)
{
    const char *own = "";
    if (codes == 0)
        return delivery->reply;
    if (delivery->outcome == SMTP_AWAY ||
        (delivery->outcome == SMTP_LATER && *delivery->reply != '4'))
        for (const char *at = delivery->reply; (at = strstr(at, " / ")) != NULL; at++)
            own = at;
    return own;
}

/* Of the sender, as the log has it: no address and no text of a mail. */
static void log_outcome(const struct delivery *delivery)
{
    static const char *const words[] = {[SMTP_SENT] = "sent",
                                        [SMTP_LATER] = "deferred",
                                        [SMTP_NEVER] = "failed",
                                        [SMTP_AWAY] = "not handed in"};
    enum log_level level = delivery->outcome == SMTP_SENT ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING;
    int codes = codes_of(delivery->reply);
    log_write(level, "mail %lld: %s: %.*s%s", (long long)delivery->mail.mail_id,
              words[delivery->outcome], codes, delivery->reply, own_words(delivery, codes));
}

static void count(struct delivery *delivery)
{
    delivery->sent += delivery->outcome == SMTP_SENT;
    delivery->failed += delivery->outcome == SMTP_NEVER;
    delivery->deferred += delivery->outcome == SMTP_LATER || delivery->outcome == SMTP_AWAY;
}

static enum status write_outcome(struct delivery *delivery)
{
    struct db_batch *batch = new_batch(delivery);
    int64_t id = delivery->mail.mail_id;
    switch (delivery->outcome) {
    case SMTP_SENT:
        return mail_sent(batch, id, delivery->reply);
    case SMTP_NEVER:
        return mail_failed(batch, id, delivery->reply);
    case SMTP_LATER:
        return mail_deferred(batch, id, backoff(delivery), true, delivery->reply);
    case SMTP_AWAY:
        break;
    }
    return mail_deferred(batch, id, delivery->pause, false, delivery->reply);
}

/* What could not be written, for want of a database, is once there is one. */
static bool note(struct delivery *delivery)
{
    if (delivery->mail.mail_id == 0)
        return true;
    if (write_outcome(delivery) != STATUS_OK)
        return false;
    delivery->mail.mail_id = 0;
    arena_reset(delivery->arena);
    return true;
}

/* Sending -------------------------------------------------------------------------------------- */

static void send_mail(struct delivery *delivery)
{
    struct buffer text = {0};
    const struct mail_waiting *mail = &delivery->mail;
    const struct message message = {.from_name = delivery->config->site_name,
                                    .from = delivery->config->mail_from,
                                    .to = mail->recipient,
                                    .id = mail->message_id,
                                    .date = mail->written_at,
                                    .text = mail->text};
    delivery->outcome = SMTP_NEVER;
    snprintf(delivery->reply, sizeof delivery->reply, "no address that a mail can have");
    if (message_write(&message, &text))
        delivery->outcome = smtp_send(delivery->config, &delivery->account.account, mail->recipient,
                                      &text, notify_watchdog, delivery->reply);
    if (text.data != NULL)
        explicit_bzero(text.data, text.length);
    buffer_free(&text);
    if (delivery->outcome == SMTP_AWAY)
        pause_all(delivery);
    else
        delivery->pause = 0;
    log_outcome(delivery);
    count(delivery);
}

/* No mail is put off for more milliseconds. */
static int64_t longest_wait(const struct delivery *delivery)
{
    int64_t longest = BACKOFF_MOST * delivery->config->mail_retry;
    return longest > LEASE ? longest : LEASE;
}

static bool sweep(struct delivery *delivery)
{
    int64_t now = clock_milliseconds();
    if (delivery->swept_at != 0 && now - delivery->swept_at < SWEEP_EACH)
        return true;
    if (mail_sweep(new_batch(delivery), longest_wait(delivery)) != STATUS_OK)
        return false;
    delivery->swept_at = now;
    return true;
}

/* True where a mail was written since it looked. */
static bool look(struct delivery *delivery)
{
    struct mail_queue *queue = &delivery->queue;
    if (mail_look(new_batch(delivery), queue) == STATUS_OK && queue->next >= 0) {
        int64_t wait = smaller(queue->next, longest_wait(delivery));
        delivery->wake_at = clock_milliseconds() + (wait > DUE_AGAIN ? wait : DUE_AGAIN);
    }
    arena_reset(delivery->arena);
    return db_was_notified(delivery->db);
}

static bool is_paused(struct delivery *delivery)
{
    if (clock_milliseconds() >= delivery->paused_until)
        return false;
    delivery->wake_at = delivery->paused_until;
    return true;
}

void delivery_notified(void *context, const char *words)
{
    struct delivery *delivery = context;
    if (*words != '\0')
        snprintf(delivery->asker, sizeof delivery->asker, "%s", words);
}

/* A server that lets us in ends a pause. */
static bool answer_asker(struct delivery *delivery)
{
    char reply[SMTP_REPLY_SIZE];
    if (*delivery->asker == '\0')
        return true;
    bool is_let_in =
        smtp_try(delivery->config, &delivery->account.account, notify_watchdog, reply) == SMTP_SENT;
    if (is_let_in)
        delivery->pause = delivery->paused_until = 0;
    if (mail_tried(new_batch(delivery), delivery->asker, is_let_in, reply) != STATUS_OK)
        return false;
    *delivery->asker = '\0';
    return true;
}

/* What fails leaves no time at which to try again, so that nothing is tried without a rest. */
bool delivery_work(struct delivery *delivery)
{
    delivery->wake_at = -1;
    if (!db_is_ready(delivery->db) || !note(delivery) || !answer_asker(delivery) ||
        !sweep(delivery) || is_paused(delivery))
        return false;
    if (mail_take(new_batch(delivery), delivery->arena, LEASE, &delivery->mail) != STATUS_OK)
        return false;
    if (delivery->mail.mail_id == 0)
        return look(delivery);
    send_mail(delivery);
    return note(delivery);
}

int64_t delivery_wait(const struct delivery *delivery)
{
    int64_t wait = delivery->wake_at - clock_milliseconds();
    return delivery->wake_at < 0 ? -1 : wait > 0 ? wait : 0;
}

void delivery_finish(struct delivery *delivery)
{
    if (delivery->mail.mail_id == 0 || note(delivery))
        return;
    if (db_connect_within(delivery->db, LAST_CALL) != STATUS_OK || !note(delivery))
        log_error("mail %lld: the outcome could not be noted, and the mail may be sent twice",
                  (long long)delivery->mail.mail_id);
}

void delivery_tell(const struct delivery *delivery)
{
    char status[200];
    snprintf(status, sizeof status, "%lu sent, %lu failed, %lu deferred; %lld wait%s",
             delivery->sent, delivery->failed, delivery->deferred,
             (long long)delivery->queue.waiting,
             delivery->pause > 0 ? "; the mail server is away" : "");
    notify_status(status);
}
