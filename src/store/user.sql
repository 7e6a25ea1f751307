-- Users.

-- name: user_insert(email, name, icon_link, password_hash) writes admin
INSERT INTO user_account (email, name, icon, password_hash)
VALUES (:email, :name, :icon_link, :password_hash)
RETURNING user_id;

-- name: user_set_password(user_id, password_hash) writes admin
UPDATE user_account SET password_hash = :password_hash WHERE user_id = :user_id RETURNING true;

-- name: user_renew_hash(user_id, password_hash, renewed) writes service
UPDATE user_account SET password_hash = :renewed WHERE user_id = :user_id AND password_hash = :password_hash;

-- name: user_exists(user_id) service
SELECT true FROM user_account WHERE user_id = :user_id;

-- name: user_lock(user_id) writes service admin
SELECT true FROM user_account WHERE user_id = :user_id FOR NO KEY UPDATE;

-- name: user_credentials(email) service
SELECT user_id, password_hash, language, blocked
  FROM user_account
 WHERE lower(email COLLATE "C") = lower(:email::text COLLATE "C") AND NOT disabled;

-- name: user_find(user_id, email) admin
SELECT user_id
  FROM user_account
 WHERE user_id = :user_id::bigint OR (:user_id = 0 AND lower(email COLLATE "C") = lower(:email::text COLLATE "C"));

-- name: user_email(user_id) admin
SELECT email::text FROM user_account WHERE user_id = :user_id;

-- As a reader sees the user.
-- name: profile_read(user_id, viewer, token_hash) service
SELECT u.user_id, u.name, :icon, u.created_at::date, s.blogs, s.albums, s.score
  FROM user_account u, (SELECT :reader AS id OFFSET 0) reader, sums_of(u.user_id, reader.id) s
 WHERE u.user_id = :user_id;

-- As the user sees the own account.
-- name: profile_read_own(user_id) service
SELECT u.user_id, u.email, u.name, :icon,
       (SELECT coalesce(sum(amount), 0) FROM ledger l WHERE l.user_id = u.user_id),
       photo_bytes(u.user_id)
  FROM user_account u
 WHERE u.user_id = :user_id;

-- name: user_show(user_id) admin
SELECT u.user_id, u.email, u.name, :icon, u.disabled, u.blocked, u.created_at,
       (SELECT count(*) FROM album t WHERE t.owner_id = u.user_id),
       (SELECT count(*) FROM poi t WHERE t.owner_id = u.user_id),
       (SELECT count(*) FROM blog t WHERE t.owner_id = u.user_id),
       (SELECT count(*) FROM comment t WHERE t.commenter_id = u.user_id),
       (SELECT count(*) FROM session t WHERE t.user_id = u.user_id AND t.expires_at > now()),
       (SELECT coalesce(sum(amount), 0) FROM ledger t WHERE t.user_id = u.user_id)
  FROM user_account u
 WHERE u.user_id = :user_id;

-- name: user_list(text, after, most) admin
SELECT user_id, email, name, disabled, blocked, created_at
  FROM user_account
 WHERE (:text::text IS NULL OR strpos(lower(name), lower(:text)) > 0 OR strpos(lower(email), lower(:text)) > 0)
   AND user_id > :after::bigint
 ORDER BY user_id
 LIMIT :most::bigint;

-- The address of an icon takes the place of one that was uploaded.
-- name: user_edit(user_id, email, name, icon_link) writes admin
UPDATE user_account
   SET email = coalesce(:email, email), name = coalesce(:name, name), icon = coalesce(:icon_link, icon),
       icon_name = CASE WHEN :icon_link::text IS NULL THEN icon_name END,
       icon_sha256 = CASE WHEN :icon_link::text IS NULL THEN icon_sha256 END,
       icon_format = CASE WHEN :icon_link::text IS NULL THEN icon_format END
 WHERE user_id = :user_id
RETURNING true;

-- Where changes_icon is 1, the icon becomes the uploaded one, or with NULL none.
-- name: user_change(user_id, name, changes_icon, icon_name, icon_sha256, icon_format) writes service admin
UPDATE user_account
   SET name = coalesce(:name, name),
       icon = CASE WHEN :changes_icon::integer = 1 THEN '' ELSE icon END,
       icon_name = CASE WHEN :changes_icon = 1 THEN :icon_name ELSE icon_name END,
       icon_sha256 = CASE WHEN :changes_icon = 1 THEN :icon_sha256 ELSE icon_sha256 END,
       icon_format = CASE WHEN :changes_icon = 1 THEN :icon_format ELSE icon_format END
 WHERE user_id = :user_id;

-- name: user_set_disabled(user_id, disabled) writes admin
UPDATE user_account SET disabled = :disabled::integer = 1 WHERE user_id = :user_id RETURNING true;

-- name: user_void_tokens(user_id) writes admin
DELETE FROM account_token WHERE user_id = :user_id;

-- name: user_void_mails(user_id) writes admin
DELETE FROM mail WHERE user_id = :user_id AND state = 'waiting';

-- Locks the account and all that hangs on it.
-- name: user_lock_all(user_id) writes service admin
SELECT lock_user(:user_id) IS NULL;

-- name: user_delete(user_id) writes admin
DELETE FROM user_account WHERE user_id = :user_id RETURNING true;
