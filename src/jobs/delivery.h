/*
 * The outbox and the mail server: takes a mail from the one, hands it to the other, and notes what
 * came of it.
 *
 *     waiting --take--> with a sender, for LEASE at most
 *        ^                 |  |  |
 *        +---- deferred ---+  |  +--- failed: 5xx for this mail, or its time is over
 *                             +------ sent
 *
 * A mail whose sender dies waits again after its lease, with the Message-ID that it has, so that a
 * server that has it already, or its reader, knows it again.
 */
#ifndef MAPDIARY_JOBS_DELIVERY_H
#define MAPDIARY_JOBS_DELIVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/config.h"
#include "db/batch.h"
#include "jobs/account.h"
#include "jobs/smtp.h"
#include "store/mail.h"

struct delivery {
    const struct config *config;
    struct account_file account;
    struct db *db;
    struct arena *arena;
    struct mail_waiting mail; /* sent, but not noted yet: mail_id is not 0 */
    enum smtp_outcome outcome;
    char reply[SMTP_REPLY_SIZE];
    char asker[MAIL_ASKER_SIZE]; /* who asks about the mail server; empty: nobody */
    struct mail_queue queue;
    unsigned long sent, failed, deferred;
    int64_t swept_at; /* milliseconds of the clock, as the next two */
    int64_t wake_at;  /* when there may be more to do; -1: nobody knows */
    int64_t paused_until;
    int64_t pause; /* 0: the mail server took the last one */
};

void delivery_open(struct delivery *delivery, const struct config *config,
                   const struct db_options *options);
/** With another configuration, and what is not noted yet: it is once the database is there. */
void delivery_reopen(struct delivery *delivery, const struct config *config,
                     const struct db_options *options);
void delivery_close(struct delivery *delivery);

/** One step: notes what is not noted, and sends a mail that is due. False where there is nothing
 * more to do now, or no database to do it with. */
bool delivery_work(struct delivery *delivery);

/** Takes a notification (db_notified): the words name an asker, or are empty for a mail that was
 * written. The next delivery_work() answers. */
void delivery_notified(void *delivery, const char *words);

/** Milliseconds until there may be something to do by itself; -1: nobody knows. */
int64_t delivery_wait(const struct delivery *delivery);

/** Notes at the end what is not noted. */
void delivery_finish(struct delivery *delivery);

/** Tells systemd how it goes. */
void delivery_tell(const struct delivery *delivery);

#endif
