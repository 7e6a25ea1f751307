#include "store/mail.h"

#include "store/registry.h"
#include "store/run.h"

/* Sending -------------------------------------------------------------------------------------- */

enum { LISTEN, TAKE, SENT, FAILED, DEFERRED, EXPIRE, FORGET, PURGE, LOOK };

#define LOOK_SQL                                                                                   \
    "SELECT count(*), coalesce(extract(epoch FROM now() - min(created_at)), 0)::bigint,"           \
    " coalesce(greatest(0, ceil(extract(epoch FROM min(next_at) FILTER (WHERE expires_at > now())" \
    " - now()) * 1000)), -1)::bigint FROM mail WHERE state = 'waiting'"

static const struct db_statement statements[] = {
    [LISTEN] = {"mail_listen", "LISTEN mapdiary_mail", "", false, DB_ADMIN | DB_OPENING},
    [TAKE] =
        {"mail_take",
         "UPDATE mail SET attempts = attempts + 1,"
         " next_at = now() + $1::bigint * interval '1 millisecond',"
         " taken_until = now() + $1 * interval '1 millisecond'"
         " WHERE mail_id = (SELECT mail_id FROM mail WHERE state = 'waiting'"
         " AND next_at <= now() AND expires_at > now() ORDER BY next_at, mail_id LIMIT 1"
         " FOR UPDATE SKIP LOCKED)"
         " RETURNING mail_id, message_id::text, recipient, subject, body, attempts, created_at",
         "lttttiz", true, DB_ADMIN},
    [SENT] = {"mail_sent",
              "UPDATE mail SET state = 'sent', ended_at = now(), taken_until = NULL,"
              " reply = $2, subject = NULL, body = NULL WHERE mail_id = $1 AND state = 'waiting'",
              "", true, DB_ADMIN},
    [FAILED] = {"mail_failed",
                "UPDATE mail SET state = 'failed', ended_at = now(), taken_until = NULL,"
                " reply = $2"
                " WHERE mail_id = $1 AND state = 'waiting'",
                "", true, DB_ADMIN},
    [DEFERRED] = {"mail_deferred",
                  "UPDATE mail SET next_at = now() + $2::bigint * interval '1 millisecond',"
                  " taken_until = NULL, reply = $3, attempts = attempts - $4::integer"
                  " WHERE mail_id = $1 AND state = 'waiting'",
                  "", true, DB_ADMIN},
    [EXPIRE] = {"mail_expire",
                "UPDATE mail SET state = 'failed', ended_at = now(), reply = left('expired; '"
                " || coalesce(reply, 'the mail server was not reached'), 2000)"
                " WHERE state = 'waiting' AND expires_at <= now()",
                "", true, DB_ADMIN},
    [FORGET] = {"mail_forget",
                "UPDATE mail SET subject = NULL, body = NULL"
                " WHERE body IS NOT NULL AND state <> 'waiting' AND expires_at <= now()",
                "", true, DB_ADMIN},
    [PURGE] = {"mail_purge", "DELETE FROM mail WHERE created_at < now() - interval '30 days'", "",
               true, DB_ADMIN},
    [LOOK] = {"mail_look", LOOK_SQL, "lll", false, DB_ADMIN},
    DB_STATEMENTS_END,
};

const struct db_statement *const mail_registry[] = {statements, NULL};

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
    const struct db_rows *rows = DB_ADD(batch, &statements[TAKE], db_integer(lease));
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
    DB_ADD(batch, &statements[SENT], db_integer(mail_id), db_text(reply));
    return run(batch);
}

enum status mail_failed(struct db_batch *batch, int64_t mail_id, const char *reply)
{
    DB_ADD(batch, &statements[FAILED], db_integer(mail_id), db_text(reply));
    return run(batch);
}

enum status mail_deferred(struct db_batch *batch, int64_t mail_id, int64_t wait, bool counts,
                          const char *reply)
{
    DB_ADD(batch, &statements[DEFERRED], db_integer(mail_id), db_integer(wait), db_text(reply),
           db_integer(counts ? 0 : 1));
    return run(batch);
}

enum status mail_sweep(struct db_batch *batch)
{
    db_batch_add(batch, &statements[EXPIRE], NULL, 0);
    db_batch_add(batch, &statements[FORGET], NULL, 0);
    db_batch_add(batch, &statements[PURGE], NULL, 0);
    return run(batch);
}

static enum status look(struct db_batch *batch, const struct db_statement *statement,
                        struct mail_queue *queue)
{
    const struct db_rows *rows = db_batch_add(batch, statement, NULL, 0);
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

enum status mail_look(struct db_batch *batch, struct mail_queue *queue)
{
    return look(batch, &statements[LOOK], queue);
}

/* Administering -------------------------------------------------------------------------------- */

enum { LIST, SHOW, RETRY, EXISTS, LOOK_AS_ADMIN };

const struct db_statement mail_statements[] = {
    [LIST] = {"mail_list",
              "SELECT mail_id, state, recipient, attempts, created_at,"
              " CASE WHEN state = 'waiting' THEN next_at END, ended_at, reply FROM mail"
              " WHERE ($1::mail_state IS NULL OR state = $1) AND mail_id > $2::bigint"
              " ORDER BY mail_id LIMIT $3::bigint",
              "lttizzzt", false, DB_ADMIN},
    [SHOW] = {"mail_show",
              "SELECT mail_id, state, user_id, recipient, message_id::text, attempts, created_at,"
              " CASE WHEN state = 'waiting' THEN next_at END, ended_at, expires_at, reply, subject,"
              " body FROM mail WHERE mail_id = $1",
              "ltlttizzzzttt", false, DB_ADMIN},
    [RETRY] = {"mail_retry",
               "WITH tried AS (UPDATE mail SET state = 'waiting', ended_at = NULL,"
               " next_at = CASE WHEN taken_until > now() THEN next_at ELSE now() END,"
               " attempts = CASE WHEN taken_until > now() THEN attempts ELSE 0 END"
               " WHERE mail_id = $1 AND state <> 'sent' AND body IS NOT NULL"
               " AND expires_at > now() RETURNING true)"
               " SELECT pg_notify('mapdiary_mail', '') IS NULL FROM tried",
               "b", true, DB_ADMIN},
    [EXISTS] = {"mail_exists", "SELECT true FROM mail WHERE mail_id = $1", "b", false, DB_ADMIN},
    [LOOK_AS_ADMIN] = {"mail_look_as_admin", LOOK_SQL, "lll", false, DB_ADMIN},
    DB_STATEMENTS_END,
};

enum status mail_list(struct db_batch *batch, const char *state, const struct list_part *part,
                      db_row_function *function, void *context)
{
    DB_STREAM(batch, &mail_statements[LIST], function, context, db_text(state),
              db_integer(part->after), db_id(part->most));
    return db_batch_run(batch);
}

enum status mail_show(struct db_batch *batch, int64_t mail_id, db_row_function *function,
                      void *context)
{
    const struct db_rows *rows = DB_ADD(batch, &mail_statements[SHOW], db_integer(mail_id));
    return store_run_row(batch, rows, STATUS_NOT_FOUND, function, context);
}

enum status mail_retry(struct db_batch *batch, int64_t mail_id)
{
    const struct db_rows *there = DB_ADD(batch, &mail_statements[EXISTS], db_integer(mail_id));
    const struct db_rows *tried = DB_ADD(batch, &mail_statements[RETRY], db_integer(mail_id));
    enum status status = store_run(batch, there, STATUS_NOT_FOUND);
    return status == STATUS_OK && db_rows_count(tried) == 0 ? STATUS_CONFLICT : status;
}

enum status mail_look_as_admin(struct db_batch *batch, struct mail_queue *queue)
{
    return look(batch, &mail_statements[LOOK_AS_ADMIN], queue);
}
