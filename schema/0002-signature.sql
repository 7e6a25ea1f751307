-- Signed requests: the keys of applications, and the record by which a signed write is carried out once.

-- Keys ---------------------------------------------------------------------------------------------------------------

-- Their secrets are not here: each derives from the master key file and key_id. A revoked key stays, so that its name
-- and the day are not forgotten.
CREATE TABLE application_key (
    key_id     bytea PRIMARY KEY CHECK (octet_length(key_id) = 16),
    name       text_line NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz CHECK (revoked_at >= created_at)
);

-- Signed writes ------------------------------------------------------------------------------------------------------

-- Each signed write that was carried out, with its answer, inserted by the transaction that carried it out: the unique
-- index makes a second one wait for the first, and then find it done.
CREATE TABLE signed_request (
    signature  bytea PRIMARY KEY CHECK (octet_length(signature) = 32),
    token_hash bytea CHECK (octet_length(token_hash) = 32),    -- of the session that sent it, which may be gone by now
    headers    text,                                           -- of the answer, as lines
    document   text,
    expires_at timestamptz NOT NULL,
    CHECK (num_nonnulls(headers, document) <> 1)
);
CREATE INDEX signed_request_expiry ON signed_request (expires_at);

-- The database's clock decides, so that all machines agree. In whole seconds, as the signer's are.
CREATE FUNCTION require_timely(signed_at bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF abs(floor(extract(epoch FROM clock_timestamp())) - signed_at) > 300 THEN
        RAISE EXCEPTION USING ERRCODE = 'MD003', MESSAGE = 'signed too long ago, or too far ahead';
    END IF;
END $$;

-- Refuses with MD002 where the key is unknown or revoked, and with MD003 where the time is not now; NULL is no matter.
CREATE FUNCTION require_key(claimed bytea, signed_at bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM mapdiary.application_key WHERE key_id = claimed AND revoked_at IS NULL;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'MD002', MESSAGE = 'the key is unknown or revoked';
    END IF;
    PERFORM mapdiary.require_timely(signed_at);
END $$;

-- Claims a signature for this transaction, or refuses with MD004 what was carried out before. The time is looked at
-- after the wait for another claim: whoever gets here after a record has expired is late, so no record is missed that
-- was deleted. It is kept for twice the time that it is needed, in case the clock is set back.
--
-- Every claim deletes some records that have expired, so there are never many of those.
CREATE FUNCTION claim_signature(claimed bytea, signed_at bigint, token bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO mapdiary.signed_request (signature, token_hash, expires_at)
        VALUES (claimed, token, to_timestamp(signed_at) + interval '600 seconds') ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'MD004', MESSAGE = 'this request was carried out before';
    END IF;
    PERFORM mapdiary.require_timely(signed_at);
    DELETE FROM mapdiary.signed_request WHERE signature IN (
        SELECT signature FROM mapdiary.signed_request WHERE expires_at < clock_timestamp()
            ORDER BY expires_at LIMIT 4 FOR UPDATE SKIP LOCKED);
END $$;
