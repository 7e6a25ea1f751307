-- Writes that are done once. A claim is the hash of a signature or of an Idempotency-Key.

-- name: claim_add(claim, time, request_hash, token_hash, owner) writes service
SELECT claim_write(:claim, :time, :request_hash, :token_hash, :owner) IS NULL;

-- name: claim_keep(claim, headers, xml, json) writes service
UPDATE claimed_write SET headers = :headers, xml = :xml, json = :json WHERE claim = :claim;

-- Whether the asker may have the answer, and whether the request is the same.
-- name: claim_find(claim, token_hash, request_hash, asker) service
SELECT (request_hash IS NULL OR (token_hash = :token_hash AND request_hash = :request_hash)
        OR EXISTS (SELECT
                     FROM session s
                    WHERE s.user_id = :asker AND s.token_hash = :token_hash AND s.expires_at > now())),
       (headers IS NOT NULL AND CASE WHEN request_hash IS NULL THEN token_hash IS NOT DISTINCT FROM :token_hash
                                     ELSE request_hash IS NOT DISTINCT FROM :request_hash END),
       headers, xml, json
  FROM claimed_write
 WHERE claim = :claim AND expires_at >= clock_timestamp();

-- name: claim_purge writes admin
DELETE FROM claimed_write WHERE expires_at <= now();
