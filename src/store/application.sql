-- The keys of applications, which sign requests.

-- With the time of a request, it must also be timely.
-- name: application_require(key_id, time) service
SELECT require_key(:key_id, :time) IS NULL;

-- name: application_insert(key_id, name) writes admin
INSERT INTO application_key (key_id, name) VALUES (:key_id, :name);

-- name: application_list admin
SELECT encode(key_id, 'hex'), name, created_at, revoked_at FROM application_key ORDER BY created_at, key_id;

-- name: application_revoke(key_id) writes admin
UPDATE application_key SET revoked_at = coalesce(revoked_at, greatest(now(), created_at)) WHERE key_id = :key_id RETURNING true;
