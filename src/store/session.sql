-- Sessions, by the hash of their token.

-- name: session_find(user_id, token_hash) service
SELECT true FROM session WHERE user_id = :user_id AND token_hash = :token_hash AND expires_at > now();

-- name: session_user(token_hash) service
SELECT user_id FROM session WHERE token_hash = :token_hash AND expires_at > now();

-- name: session_check(user_id, token_hash) service
SELECT check_session(:user_id, :token_hash) IS NULL;

-- name: session_require(user_id, token_hash) writes service
SELECT require_session(:user_id, :token_hash) IS NULL;

-- name: session_end(user_id, token_hash) writes service
SELECT end_session(:user_id, :token_hash) IS NULL;

-- name: session_revoke_all(user_id) writes admin
DELETE FROM session WHERE user_id = :user_id RETURNING true;

-- name: session_purge_user(user_id) writes service admin
DELETE FROM session WHERE user_id = :user_id AND expires_at <= now();

-- The lifetime is in milliseconds. Without a password hash, none is compared.
-- name: session_insert(user_id, token_hash, lifetime, password_hash) writes service admin
INSERT INTO session (user_id, token_hash, expires_at)
SELECT user_id, :token_hash, now() + :lifetime::bigint * interval '1 millisecond'
  FROM user_account
 WHERE user_id = :user_id AND NOT disabled AND NOT blocked
   AND (:password_hash::text IS NULL OR password_hash = :password_hash)
   FOR NO KEY UPDATE
RETURNING true;

-- Ends the oldest of more than a hundred, but for those that a write has locked, which may wait for a row of this
-- login. The next login ends those.
-- name: session_trim(user_id, token_hash) writes service admin
DELETE FROM session
 WHERE token_hash IN (SELECT token_hash
                        FROM session
                       WHERE token_hash IN (SELECT token_hash
                                              FROM session
                                             WHERE user_id = :user_id
                                             ORDER BY token_hash = :token_hash DESC, created_at DESC, token_hash
                                            OFFSET 100)
                         FOR UPDATE SKIP LOCKED);

-- A user of 0 stands for all.
-- name: session_list(user_id) admin
SELECT encode(s.token_hash, 'hex'), s.user_id, u.email, s.created_at, s.expires_at
  FROM session s
  JOIN user_account u USING (user_id)
 WHERE s.expires_at > now() AND (:user_id::bigint = 0 OR s.user_id = :user_id)
 ORDER BY s.user_id, s.created_at, s.token_hash;

-- name: session_revoke(token_hash) writes admin
DELETE FROM session WHERE token_hash = :token_hash RETURNING true;

-- name: session_purge writes admin
WITH purged AS (DELETE FROM session WHERE expires_at <= now() RETURNING true)
SELECT count(*) FROM purged;

-- name: session_purge_failures writes admin
DELETE FROM login_throttle WHERE last_attempt < now() - interval '1 day';
