-- The throttle of logins.

-- name: throttle_look(email, address, account_free, address_free, hourly, longest_wait) service
SELECT wait, is_known
  FROM look_at_login(:email::text, :address::text, :account_free::integer, :address_free::integer, :hourly::integer,
                     :longest_wait::bigint);

-- name: throttle_attempt(email, address, account_free, address_free, hourly, longest_wait) writes service
SELECT attempt_login(:email::text, :address::text, :account_free::integer, :address_free::integer, :hourly::integer,
                     :longest_wait::bigint);

-- name: throttle_welcome(user_id, email, address, hourly) writes service
SELECT welcome_login(:user_id, :email, :address, :hourly::integer) IS NULL;

-- name: throttle_adjust(address, change) writes service
UPDATE login_throttle
   SET failures = greatest(0, failures + :change::integer)
 WHERE subject = login_subject('address', :address::text);
