-- Signed requests, and writes that are carried out once.

CREATE TABLE application_key (
    key_id     bytea PRIMARY KEY CHECK (octet_length(key_id) = 16),
    name       text_line NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz CHECK (revoked_at >= created_at)
);
COMMENT ON TABLE application_key IS 'Keys of applications. A secret derives from the master key and key_id, and is not stored.';

CREATE TABLE claimed_write (
    claim        bytea PRIMARY KEY CHECK (octet_length(claim) = 32),
    request_hash bytea CHECK (octet_length(request_hash) = 32),
    token_hash   bytea CHECK (octet_length(token_hash) = 32),
    user_id      bigint REFERENCES user_account ON DELETE CASCADE,
    headers      text,
    xml          text,
    json         text,
    expires_at   timestamptz NOT NULL,
    CHECK (num_nonnulls(headers, xml, json) IN (0, 3))
);
CREATE INDEX claimed_write_expiry ON claimed_write (expires_at);
CREATE INDEX claimed_write_user ON claimed_write (user_id) WHERE user_id IS NOT NULL;
COMMENT ON TABLE claimed_write IS
    'Writes that were carried out, with their answers. The transaction of a write inserts its row, so a second one waits and finds it.';
COMMENT ON COLUMN claimed_write.claim IS 'The signature, or the hash of a user and an Idempotency-Key.';
COMMENT ON COLUMN claimed_write.request_hash IS 'Of the request that an Idempotency-Key came with; NULL of a signature.';
COMMENT ON COLUMN claimed_write.token_hash IS 'Of the session that sent the request; it may have ended.';
COMMENT ON COLUMN claimed_write.user_id IS 'The user of the Idempotency-Key; NULL if the row may outlive its user.';
COMMENT ON COLUMN claimed_write.headers IS 'Of the answer, as lines.';

-- The clock of the database decides, so that all machines agree. Whole seconds are compared, because the signer has whole
-- seconds.
CREATE FUNCTION require_timely(signed_at bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF abs(floor(extract(epoch FROM clock_timestamp())) - signed_at) > 300 THEN
        RAISE EXCEPTION USING ERRCODE = 'MD003', MESSAGE = 'signed too long ago, or too far ahead';
    END IF;
END $$;

CREATE FUNCTION require_key(claimed bytea, signed_at bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM mapdiary.application_key WHERE key_id = claimed AND revoked_at IS NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'MD002', MESSAGE = 'the key is unknown or revoked';
    END IF;
    PERFORM mapdiary.require_timely(signed_at);
END $$;
COMMENT ON FUNCTION require_key IS
    'Refuses with MD002 if the key is unknown or revoked, and with MD003 if the time (unless NULL) is not within 300 seconds of now.';

-- A claim of a session that has ended is refused with MD001 before it is written, unless the write was carried out, which may
-- have ended the session. Otherwise anybody could make the table grow, because rows that are rolled back stay for a while.
--
-- The time of a signature is compared after the wait for another claim: a request that comes here after its record has expired
-- is late. A record is kept for twice the time that it is needed, in case the clock is set back. Each claim deletes some
-- records that have expired.
CREATE FUNCTION claim_write(claimed bytea, signed_at bigint, request bytea, token bytea, owner bigint)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF token IS NOT NULL
            AND NOT EXISTS (SELECT FROM mapdiary.session WHERE token_hash = token AND expires_at > now())
            AND NOT EXISTS (SELECT FROM mapdiary.claimed_write WHERE claim = claimed) THEN
        RAISE EXCEPTION USING ERRCODE = 'MD001', MESSAGE = 'the session is unknown, expired or revoked';
    END IF;
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
COMMENT ON FUNCTION claim_write IS
    'Claims a write for this transaction, or refuses with MD004 if it was carried out. A row without a time of signing is kept for a day.';
