#include "store/mail.h"

#include <stdio.h>
#include <string.h>

#include "store/run.h"
#include "store/statements.h"

/* Sending -------------------------------------------------------------------------------------- */

const struct db_statement *const mail_registry[] = {mail_sending, mail_queue, NULL};

static void read_waiting(struct db_row row, struct arena *arena, struct mail_waiting *mail)
{
    mail->mail_id = db_read_integer(&row);
    mail->message_id = db_read_copy(&row, arena);
    mail->recipient = db_read_copy(&row, arena);
    mail->text.subject = db_read_copy(&row, arena);
    mail->text.body = db_read_copy(&row, arena);
    mail->attempts = db_read_integer(&row);
    mail->written_at = db_read_epoch(&row);
}

enum status mail_take(struct db_batch *batch, struct arena *arena, int64_t lease,
                      struct mail_waiting *mail)
{
    const struct db_rows *rows = DB_ADD(batch, SQL_MAIL_TAKE, db_integer(lease));
    enum status status = db_batch_run(batch);
    mail->mail_id = 0;
    if (status == STATUS_OK && db_rows_count(rows) > 0)
        read_waiting(db_row(rows, 0), arena, mail);
    db_batch_reset(batch);
    return status;
}

static enum status run(struct db_batch *batch)
{
    enum status status = db_batch_run(batch);
    db_batch_reset(batch);
    return status;
}

enum status mail_sent(struct db_batch *batch, int64_t mail_id, const char *reply)
{
    DB_ADD(batch, SQL_MAIL_SENT, db_integer(mail_id), db_text(reply));
    return run(batch);
}

enum status mail_failed(struct db_batch *batch, int64_t mail_id, const char *reply)
{
    DB_ADD(batch, SQL_MAIL_FAILED, db_integer(mail_id), db_text(reply));
    return run(batch);
}

enum status mail_deferred(struct db_batch *batch, int64_t mail_id, int64_t wait, bool counts,
                          const char *reply)
{
    DB_ADD(batch, SQL_MAIL_DEFERRED, db_integer(mail_id), db_integer(wait), db_text(reply),
           db_integer(counts ? 0 : 1));
    return run(batch);
}

enum status mail_sweep(struct db_batch *batch, int64_t longest)
{
    DB_ADD(batch, SQL_MAIL_SETTLE, db_integer(longest));
    db_batch_add(batch, SQL_MAIL_EXPIRE, NULL, 0);
    db_batch_add(batch, SQL_MAIL_FORGET, NULL, 0);
    db_batch_add(batch, SQL_MAIL_PURGE, NULL, 0);
    return run(batch);
}

enum status mail_look(struct db_batch *batch, struct mail_queue *queue)
{
    const struct db_rows *rows = db_batch_add(batch, SQL_MAIL_LOOK, NULL, 0);
    enum status status = db_batch_run(batch);
    if (status == STATUS_OK) {
        struct db_row row = db_row(rows, 0);
        queue->waiting = db_read_integer(&row);
        queue->oldest = db_read_integer(&row);
        queue->next = db_read_integer(&row);
    }
    db_batch_reset(batch);
    return status;
}

/* Asking --------------------------------------------------------------------------------------- */

const struct db_statement *const mail_asking_registry[] = {mail_asking, NULL};

static const char let_in[] = " let in ", refused[] = " refused ";

enum status mail_ask(struct db_batch *batch, const char *asker)
{
    DB_ADD(batch, SQL_MAIL_ASK, db_text(asker));
    return run(batch);
}

enum status mail_tried(struct db_batch *batch, const char *asker, bool is_let_in, const char *reply)
{
    char answer[1024];
    snprintf(answer, sizeof answer, "%s%s%s", asker, is_let_in ? let_in : refused, reply);
    DB_ADD(batch, SQL_MAIL_TRIED, db_text(answer));
    return run(batch);
}

bool mail_answer_read(const char *words, const char *asker, bool *is_let_in, const char **reply)
{
    size_t length = strlen(asker);
    if (strncmp(words, asker, length) != 0)
        return false;
    words += length;
    *is_let_in = strncmp(words, let_in, strlen(let_in)) == 0;
    if (!*is_let_in && strncmp(words, refused, strlen(refused)) != 0)
        return false;
    *reply = words + strlen(*is_let_in ? let_in : refused);
    return true;
}

/* Administering -------------------------------------------------------------------------------- */

enum status mail_list(struct db_batch *batch, const char *state, const struct list_part *part,
                      db_row_function *function, void *context)
{
    DB_STREAM(batch, SQL_MAIL_LIST, function, context, db_text(state), db_integer(part->after),
              db_id(part->most));
    return db_batch_run(batch);
}

enum status mail_show(struct db_batch *batch, int64_t mail_id, db_row_function *function,
                      void *context)
{
    const struct db_rows *rows = DB_ADD(batch, SQL_MAIL_SHOW, db_integer(mail_id));
    return store_run_row(batch, rows, STATUS_NOT_FOUND, function, context);
}

enum status mail_retry(struct db_batch *batch, int64_t mail_id)
{
    const struct db_rows *there = DB_ADD(batch, SQL_MAIL_EXISTS, db_integer(mail_id));
    const struct db_rows *tried = DB_ADD(batch, SQL_MAIL_RETRY, db_integer(mail_id));
    enum status status = store_run(batch, there, STATUS_NOT_FOUND);
    return status == STATUS_OK && db_rows_count(tried) == 0 ? STATUS_CONFLICT : status;
}
