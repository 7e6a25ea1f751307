-- Mails as administrators see them, then as they are sent.

-- name: mail_list(state, after, most) admin
SELECT mail_id, state, recipient, attempts, created_at, CASE WHEN state = 'waiting' THEN next_at END, ended_at, reply
  FROM mail
 WHERE (:state::mail_state IS NULL OR state = :state) AND mail_id > :after::bigint
 ORDER BY mail_id
 LIMIT :most::bigint;

-- name: mail_show(mail_id) admin
SELECT mail_id, state, user_id, recipient, message_id::text, attempts, created_at,
       CASE WHEN state = 'waiting' THEN next_at END, ended_at, expires_at, reply, subject, body
  FROM mail
 WHERE mail_id = :mail_id;

-- A mail that is being sent stays with its sender.
-- name: mail_retry(mail_id) writes admin
WITH tried AS (
    UPDATE mail
       SET state = 'waiting', ended_at = NULL,
           next_at = CASE WHEN taken_until > now() THEN next_at ELSE now() END,
           attempts = CASE WHEN taken_until > now() THEN attempts ELSE 0 END
     WHERE mail_id = :mail_id AND state <> 'sent' AND body IS NOT NULL AND expires_at > now()
    RETURNING true)
SELECT pg_notify('mapdiary_mail', '') IS NULL FROM tried;

-- name: mail_exists(mail_id) admin
SELECT true FROM mail WHERE mail_id = :mail_id;

-- table: mail_queue

-- How many mails wait, for how many seconds the oldest has, and in how many milliseconds the next is due; -1 for
-- none. greatest() passes over NULL, so the question whether there is any comes before it.
-- name: mail_look admin
SELECT count(*), greatest(0, extract(epoch FROM now() - min(created_at)))::bigint,
       CASE WHEN count(*) FILTER (WHERE expires_at > now()) = 0 THEN -1
            ELSE greatest(0, ceil(extract(epoch FROM min(next_at) FILTER (WHERE expires_at > now()) - now())
                                  * 1000)) END::bigint
  FROM mail
 WHERE state = 'waiting';

-- table: mail_asking

-- name: mail_asking_listen admin opening
LISTEN mapdiary_mail_tried;

-- name: mail_ask(asker) writes admin
SELECT pg_notify('mapdiary_mail', :asker::text) IS NULL;

-- table: mail_sending

-- name: mail_listen admin opening
LISTEN mapdiary_mail;

-- name: mail_tried(answer) writes admin
SELECT pg_notify('mapdiary_mail_tried', :answer::text) IS NULL;

-- The lease is in milliseconds.
-- name: mail_take(lease) writes admin
UPDATE mail
   SET attempts = attempts + 1,
       next_at = now() + :lease::bigint * interval '1 millisecond',
       taken_until = now() + :lease * interval '1 millisecond'
 WHERE mail_id = (SELECT mail_id
                    FROM mail
                   WHERE state = 'waiting' AND next_at <= now() AND expires_at > now()
                   ORDER BY next_at, mail_id
                   LIMIT 1
                     FOR UPDATE SKIP LOCKED)
RETURNING mail_id, message_id::text, recipient, subject, body, attempts, created_at;

-- name: mail_sent(mail_id, reply) writes admin
UPDATE mail
   SET state = 'sent', ended_at = now(), taken_until = NULL, reply = :reply, subject = NULL, body = NULL
 WHERE mail_id = :mail_id AND state = 'waiting';

-- name: mail_failed(mail_id, reply) writes admin
UPDATE mail
   SET state = 'failed', ended_at = now(), taken_until = NULL, reply = :reply
 WHERE mail_id = :mail_id AND state = 'waiting';

-- The wait is in milliseconds.
-- name: mail_deferred(mail_id, wait, reply, not_counted) writes admin
UPDATE mail
   SET next_at = now() + :wait::bigint * interval '1 millisecond', taken_until = NULL, reply = :reply,
       attempts = attempts - :not_counted::integer
 WHERE mail_id = :mail_id AND state = 'waiting';

-- A clock that was ahead may have put off the next attempt for longer than any wait, in milliseconds. Such a mail is due. A
-- sender that began later than this transaction may have put off a mail from its own, later, moment.
-- name: mail_settle(longest) writes admin
UPDATE mail
   SET next_at = now(), taken_until = NULL
 WHERE state = 'waiting' AND next_at > now() + :longest::bigint * interval '1 millisecond'
   AND next_at > clock_timestamp() + :longest * interval '1 millisecond';

-- name: mail_expire writes admin
UPDATE mail
   SET state = 'failed', ended_at = now(),
       reply = left('expired; ' || coalesce(reply, 'the mail server was not reached'), 2000)
 WHERE state = 'waiting' AND expires_at <= now();

-- name: mail_forget writes admin
UPDATE mail
   SET subject = NULL, body = NULL
 WHERE body IS NOT NULL AND state <> 'waiting' AND expires_at <= now();

-- name: mail_purge writes admin
DELETE FROM mail WHERE created_at < now() - interval '30 days';
