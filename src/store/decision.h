/*
 * What operators decide: each is kept with who, when and why, and nobody changes that.
 */
#ifndef MAPDIARY_STORE_DECISION_H
#define MAPDIARY_STORE_DECISION_H

#include "base/status.h"
#include "db/batch.h"
#include "model/list_part.h"
#include "model/mail.h"

struct decision {
    const char *thing;  /* "album:7", "user:7" */
    const char *action; /* "hide", "unhide", "dismiss", "block", "unblock" */
    const char *by;
    const char *reason;
    const char *rule;  /* the rule or law by which; may be empty */
    int64_t report_id; /* 0: it follows from none */
};

/* Somebody who is to hear of it. */
struct decision_hearer {
    const char *occasion; /* the action, or what became of a report: "upheld", "dismissed" */
    int64_t user_id;      /* 0: nobody is */
    const char *language; /* NULL: the configured one */
    const char *piece;    /* "album:7": the piece by which the thing is found */
    const char *title;    /* the first words of the thing, as its owner has written them */
};

/**
 * Carries one out in a transaction that stays open (db_batch_hold()), and gives those who are to
 * hear of it, and what may be published of the thing. The rows live until the batch goes on.
 * STATUS_NOT_FOUND.
 */
enum status decision_make(struct db_batch *batch, const struct decision *decision,
                          const struct db_rows **hearers,
                          const struct db_rows **published) MUST_CHECK;
struct decision_hearer decision_hearer_read(const struct db_rows *hearers, size_t index);

/** Adds a mail to somebody who hears of it. */
void decision_mail_add(struct db_batch *batch, int64_t user_id, const struct mail_text *mail);

/** Streams all decisions, or those about one thing. */
enum status decision_list(struct db_batch *batch, const char *thing, const struct list_part *part,
                          db_row_function *function, void *context) MUST_CHECK;

#endif
