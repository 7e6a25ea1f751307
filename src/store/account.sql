-- Accounts as their users make and prove them: registration, tokens that are mailed, passwords.

-- name: account_register(token_hash, email, name, password_hash, language, invitation, subject, body) writes service
SELECT register_account(:token_hash, :email, :name, :password_hash, :language, :invitation, :subject, :body) IS NULL;

-- name: account_request_password(token_hash, email, subject, body) writes service
SELECT request_password(:token_hash, :email, :subject, :body) IS NULL;

-- The notice goes to the address that the account has.
-- name: account_request_address(token_hash, user_id, password_hash, email, subject, body, notice_subject, notice_body)
--     writes service
SELECT true
 WHERE request_address(:token_hash, :user_id, :password_hash, :email, :subject, :body, :notice_subject, :notice_body);

-- name: account_find_invitation(token_hash) service
SELECT true FROM invitation WHERE token_hash = :token_hash AND expires_at > now();

-- The lifetime is in milliseconds.
-- name: account_invite(token_hash, lifetime) writes admin
INSERT INTO invitation (token_hash, expires_at)
VALUES (:token_hash, now() + :lifetime::bigint * interval '1 millisecond');

-- A token of a registration has no user yet.
-- name: account_find_token(token_hash) service
SELECT coalesce(u.user_id, 0), coalesce(u.email, t.email), coalesce(u.password_hash, t.password_hash),
       coalesce(u.language, t.language)
  FROM account_token t
  LEFT JOIN user_account u USING (user_id)
 WHERE t.token_hash = :token_hash AND t.purpose IN ('registration', 'address') AND t.expires_at > now()
   AND u.disabled IS NOT TRUE AND u.blocked IS NOT TRUE;

-- name: account_find_reset(token_hash) service
SELECT u.user_id, u.email, u.password_hash, u.language
  FROM account_token t
  JOIN user_account u USING (user_id)
 WHERE t.token_hash = :token_hash AND t.purpose = 'password' AND t.expires_at > now()
   AND NOT u.disabled AND NOT u.blocked;

-- name: account_find_asker(user_id, token_hash) service
SELECT u.user_id, u.email, u.password_hash, u.language
  FROM session s
  JOIN user_account u USING (user_id)
 WHERE s.user_id = :user_id AND s.token_hash = :token_hash AND s.expires_at > now();

-- name: account_confirm(token_hash) writes service
SELECT confirm_email(:token_hash);

-- The user gets at most three notices in an hour, so that nobody fills the outbox by changes of a password. Notices live longer than
-- the mails that others can cause.
\set notices '(SELECT count(*) FROM mail m WHERE m.user_id = u.user_id AND m.created_at > now() - interval ''1 hour'' AND m.expires_at > m.created_at + interval ''1 day'')'
\set notify 'CASE WHEN :notices < 3 THEN write_mail(u.user_id, u.email, :subject, :body, interval ''30 days'', false) IS NULL END'

-- name: account_reset_password(token_hash, password_hash, subject, body) writes service
SELECT u.user_id, :notify
  FROM reset_password(:token_hash, :password_hash) AS reset(user_id)
  JOIN user_account u USING (user_id);

-- The session with this token stays, the user's others end.
-- name: account_change_password(user_id, password_hash, new_hash, token_hash, subject, body) writes service
SELECT (SELECT :notify FROM user_account u WHERE u.user_id = :user_id)
 WHERE change_password(:user_id, :password_hash, :new_hash, :token_hash);

-- name: account_delete(user_id, password_hash) writes service
DELETE FROM user_account WHERE user_id = :user_id AND password_hash = :password_hash RETURNING true;
