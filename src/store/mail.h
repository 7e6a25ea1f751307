/*
 * The outbox: mails that operations have written, for whoever sends them, and for administrators.
 */
#ifndef MAPDIARY_STORE_MAIL_H
#define MAPDIARY_STORE_MAIL_H

#include "base/arena.h"
#include "base/status.h"
#include "db/batch.h"
#include "model/list_part.h"
#include "model/mail.h"

/* For who sends ------------------------------------------------------------------------------- */

/** Statements of a connection that sends, ended by NULL. It is woken when a mail is written. */
extern const struct db_statement *const mail_registry[];

/* A mail that is to be sent; its texts are in the arena. */
struct mail_waiting {
    int64_t mail_id; /* 0: none is due */
    const char *message_id;
    const char *recipient;
    struct mail_text text;
    int64_t attempts; /* this one included */
    int64_t written_at;
};

/** Takes one that is due, and nobody else does: for so many milliseconds, in case whoever takes it
 * is never heard of again. */
enum status mail_take(struct db_batch *batch, struct arena *arena, int64_t lease,
                      struct mail_waiting *mail) MUST_CHECK;

/** It was sent, and its text is forgotten; or it never will be. */
enum status mail_sent(struct db_batch *batch, int64_t mail_id, const char *reply) MUST_CHECK;
enum status mail_failed(struct db_batch *batch, int64_t mail_id, const char *reply) MUST_CHECK;
/** It is to be tried again after so many milliseconds; an attempt that is none of the mail's own
 * fault does not count. */
enum status mail_deferred(struct db_batch *batch, int64_t mail_id, int64_t wait, bool counts,
                          const char *reply) MUST_CHECK;

struct mail_queue {
    int64_t waiting;
    int64_t oldest; /* seconds that it has waited */
    int64_t next;   /* milliseconds until one is due; -1: none is */
};

/** Gives up what has expired, forgets its text later, and all of it after 30 days. A mail that is
 * put off for more milliseconds than the longest wait is due: a clock was ahead. */
enum status mail_sweep(struct db_batch *batch, int64_t longest) MUST_CHECK;
/** The queue, for a sender or an administrator. */
enum status mail_look(struct db_batch *batch, struct mail_queue *queue) MUST_CHECK;

/**
 * The doctor asks all senders whether the mail server lets mapdiary in. The words of the doctor's
 * notification are a random name. A sender answers by a notification to mail_asking_registry, with
 * that name, the outcome and the reply of the mail server.
 */
extern const struct db_statement *const mail_asking_registry[];
enum { MAIL_ASKER_SIZE = 33 };
enum status mail_ask(struct db_batch *batch, const char *asker) MUST_CHECK;
enum status mail_tried(struct db_batch *batch, const char *asker, bool is_let_in,
                       const char *reply) MUST_CHECK;
/** Reads the answer of a sender. False if the words have another name than the asker's. */
bool mail_answer_read(const char *words, const char *asker, bool *is_let_in, const char **reply);

/* For administrators --------------------------------------------------------------------------- */

/** Streams mails, or those of one state. */
enum status mail_list(struct db_batch *batch, const char *state, const struct list_part *part,
                      db_row_function *function, void *context) MUST_CHECK;

/** All about one, as one row. STATUS_NOT_FOUND. */
enum status mail_show(struct db_batch *batch, int64_t mail_id, db_row_function *function,
                      void *context) MUST_CHECK;

/** Has one that failed, or waits, tried at once. STATUS_NOT_FOUND; STATUS_CONFLICT where it was
 * sent, or has expired. */
enum status mail_retry(struct db_batch *batch, int64_t mail_id) MUST_CHECK;

#endif
