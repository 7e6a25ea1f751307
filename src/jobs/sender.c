#include "jobs/sender.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "db/conninfo.h"
#include "jobs/delivery.h"
#include "jobs/metrics.h"
#include "jobs/smtp.h"
#include "mail/server.h"
#include "run/notify.h"
#include "run/reload.h"
#include "store/cluster.h"

enum {
    LOOK_EACH = 30000, /* milliseconds, in case nobody has woken it */
    TELL_EACH = 5000,  /* that it is alive */
    STATEMENTS_MOST = 10000,
};

struct sender {
    const char *path;
    struct config *config;
    struct arena *arena; /* of the options */
    struct db_options options;
    struct delivery delivery;
    int signals;
    bool must_stop;
};

/* Configuration -------------------------------------------------------------------------------- */

/* libcurl would only say so at the first mail. */
static bool has_certificates(const struct config *config, const char *path)
{
    if (*config->mail_ca_file == '\0' || access(config->mail_ca_file, R_OK) == 0)
        return true;
    config_complain(config, path, "mail_ca_file", strerror(errno));
    return false;
}

static bool is_right(const struct config *config, const char *path)
{
    struct account_file account;
    char reason[256];
    bool is_server = server_is_address(config->mail_server);
    bool is_database = db_check_conninfo(config->mail_database, reason, sizeof reason) == STATUS_OK;
    if (!is_server)
        config_complain(config, path, "mail_server", SERVER_FORM);
    if (!is_database)
        config_complain(config, path, "mail_database", reason);
    bool has_reader = *config->doctor_mail == '\0' || text_is_email(config->doctor_mail);
    if (!has_reader)
        config_complain(config, path, "doctor_mail", "no email address");
    bool has_account = account_read(config, &account);
    account_forget(&account);
    return is_server && is_database && has_reader && has_certificates(config, path) && has_account;
}

enum status sender_read_config(struct config *config, const char *path)
{
    enum status status = config_read(config, path);
    if (status != STATUS_OK || is_right(config, path))
        return status;
    config_free(config);
    return STATUS_INTERNAL;
}

static void take_config(struct sender *sender)
{
    const struct config *config = sender->config;
    sender->options = (struct db_options){
        .conninfo = *config->mail_database != '\0'
                        ? config->mail_database
                        : db_conninfo_for_role(config->database, CLUSTER_MAIL_ROLE, sender->arena),
        .timezone = "UTC",
        .timeout = STATEMENTS_MOST,
        .registry = mail_registry,
        .use = DB_ADMIN,
        .notified = delivery_notified,
        .context = &sender->delivery};
    log_set_level((enum log_level)sender->config->log_level);
}

/* True, unless there is a fault. A fault is reported, and the old configuration stays. */
static bool reload(struct sender *sender)
{
    struct config config, before = *sender->config;
    struct arena *arena = sender->arena;
    notify_reloading();
    bool is_new = sender_read_config(&config, sender->path) == STATUS_OK;
    if (is_new) {
        *sender->config = config;
        sender->arena = arena_new();
        take_config(sender);
        delivery_reopen(&sender->delivery, sender->config, &sender->options);
        config_free(&before);
        arena_free(&arena);
        log_notice("reloaded");
    }
    notify_ready();
    return is_new;
}

/* Waiting -------------------------------------------------------------------------------------- */

static void heed_signals(struct sender *sender)
{
    struct signalfd_siginfo info;
    while (read(sender->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGHUP)
            (void)reload(sender);
        else if (info.ssi_signo == (uint32_t)RELOAD_ASKED)
            reload_answer((pid_t)info.ssi_pid, reload(sender));
        else
            sender->must_stop = true;
    }
}

static int64_t earlier(int64_t one, int64_t other)
{
    return one >= 0 && one < other ? one : other;
}

static void wait_for_events(struct sender *sender)
{
    struct pollfd polled[2] = {{.fd = sender->signals, .events = POLLIN}};
    int64_t wait = earlier(db_wants(sender->delivery.db, &polled[1]), LOOK_EACH);
    int64_t until = clock_milliseconds() + earlier(delivery_wait(&sender->delivery), wait), left;
    do {
        notify_watchdog();
        left = until - clock_milliseconds();
    } while (poll(polled, 2, left > 0 ? (int)earlier(left, TELL_EACH) : 0) == 0 &&
             left > TELL_EACH);
}

static void tell(struct sender *sender)
{
    delivery_tell(&sender->delivery);
    metrics_write(&sender->delivery);
}

/* A mail at a time, and a look at the signals between two. */
static void run(struct sender *sender)
{
    while (!sender->must_stop) {
        db_advance(sender->delivery.db);
        bool has_more = delivery_work(&sender->delivery);
        if (notify_wants_status() || !has_more)
            tell(sender);
        if (!has_more)
            wait_for_events(sender);
        heed_signals(sender);
    }
}

static bool open_signals(struct sender *sender)
{
    sigset_t heeded;
    sigemptyset(&heeded);
    sigaddset(&heeded, SIGTERM);
    sigaddset(&heeded, SIGINT);
    sigaddset(&heeded, SIGHUP);
    sigaddset(&heeded, RELOAD_ASKED);
    sigprocmask(SIG_BLOCK, &heeded, NULL);
    signal(SIGPIPE, SIG_IGN);
    sender->signals = signalfd(-1, &heeded, SFD_CLOEXEC | SFD_NONBLOCK);
    if (sender->signals < 0)
        log_error("%s", strerror(errno));
    return sender->signals >= 0;
}

int sender_run(struct config *config, const char *path)
{
    struct sender sender = {.path = path, .config = config};
    if (!open_signals(&sender) || !smtp_open())
        return EXIT_FAILURE;
    sender.arena = arena_new();
    take_config(&sender);
    delivery_open(&sender.delivery, sender.config, &sender.options);
    log_notice("ready to send mails by %s", config->mail_server);
    notify_ready();
    run(&sender);
    notify_stopping();
    delivery_finish(&sender.delivery);
    delivery_close(&sender.delivery);
    close(sender.signals);
    smtp_close();
    arena_free(&sender.arena);
    return EXIT_SUCCESS;
}
