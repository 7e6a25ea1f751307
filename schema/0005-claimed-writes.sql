-- Writes that are carried out once may be named by a key of the client's own, too; and no identifier exceeds what the
-- numbers of JSON hold everywhere.

-- Writes that are carried out once -----------------------------------------------------------------------------------

-- Each such write with its answer, inserted by the transaction that carried it out: the unique index makes a second one
-- wait for the first, and then find it done. What names it is its signature, or the hash of a user and an
-- Idempotency-Key.
CREATE TABLE claimed_write (
    claim        bytea PRIMARY KEY CHECK (octet_length(claim) = 32),
    request_hash bytea CHECK (octet_length(request_hash) = 32),  -- of what a key was sent with; a signature is that itself
    token_hash   bytea CHECK (octet_length(token_hash) = 32),    -- of the session that sent it, which may be gone by now
    user_id      bigint REFERENCES user_account ON DELETE CASCADE,  -- whose key it is; NULL where it may outlive its user
    headers      text,                                           -- of the answer, as lines
    xml          text,                                           -- the answer in each of its formats
    json         text,
    expires_at   timestamptz NOT NULL,
    CHECK (num_nonnulls(headers, xml, json) IN (0, 3))
);
CREATE INDEX claimed_write_expiry ON claimed_write (expires_at);
CREATE INDEX claimed_write_user ON claimed_write (user_id) WHERE user_id IS NOT NULL;

-- The format was signed, so that the one document there is was written in whichever is asked for again.
INSERT INTO claimed_write (claim, token_hash, headers, xml, json, expires_at)
    SELECT signature, token_hash, headers, document, document, expires_at FROM signed_request;
DROP FUNCTION claim_signature;
DROP TABLE signed_request;

-- Claims a write for this transaction, or refuses with MD004 what was carried out before. With a time, that was signed: it
-- is looked at after the wait for another claim, so whoever gets here after a record has expired is late, and no record
-- is missed that was deleted; it is kept for twice the time that it is needed, in case the clock is set back. Without
-- one it is kept for a day.
--
-- Every claim deletes some records that have expired, so there are never many of those.
CREATE FUNCTION claim_write(claimed bytea, signed_at bigint, request bytea, token bytea, owner bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO mapdiary.claimed_write AS w (claim, request_hash, token_hash, user_id, expires_at)
        VALUES (claimed, request, token, owner,
                coalesce(to_timestamp(signed_at) + interval '600 seconds', clock_timestamp() + interval '1 day'))
        ON CONFLICT (claim) DO UPDATE
            SET request_hash = excluded.request_hash, token_hash = excluded.token_hash, user_id = excluded.user_id,
                headers = NULL, xml = NULL, json = NULL, expires_at = excluded.expires_at
            WHERE w.expires_at < clock_timestamp();
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'MD004', MESSAGE = 'this request was carried out before';
    END IF;
    PERFORM mapdiary.require_timely(signed_at);
    DELETE FROM mapdiary.claimed_write WHERE claim IN (
        SELECT claim FROM mapdiary.claimed_write WHERE expires_at < clock_timestamp()
            ORDER BY expires_at LIMIT 4 FOR UPDATE SKIP LOCKED);
END $$;

-- Identifiers --------------------------------------------------------------------------------------------------------

-- 2^53 - 1: RFC 8259, section 6.
ALTER TABLE user_account ALTER user_id SET MAXVALUE 9007199254740991;
ALTER TABLE album ALTER album_id SET MAXVALUE 9007199254740991;
ALTER TABLE album_photo ALTER photo_id SET MAXVALUE 9007199254740991;
ALTER TABLE poi ALTER poi_id SET MAXVALUE 9007199254740991;
ALTER TABLE poi_photo ALTER photo_id SET MAXVALUE 9007199254740991;
ALTER TABLE blog ALTER blog_id SET MAXVALUE 9007199254740991;
ALTER TABLE comment ALTER comment_id SET MAXVALUE 9007199254740991;
ALTER TABLE ledger ALTER entry_id SET MAXVALUE 9007199254740991;
