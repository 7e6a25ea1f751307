-- Logins that are fair: a stranger's guesses do not keep the owner of an account out, what is refused writes nothing, and
-- who is right is counted, too.

-- Who was right ------------------------------------------------------------------------------------------------------

-- The addresses from which a user has logged in, or the networks that count as one, the latest twenty of each: there only
-- the failures from that address count. The network is a hash, as the subjects of login_throttle are.
CREATE TABLE login_network (
    user_id    bigint NOT NULL REFERENCES user_account ON DELETE CASCADE,
    network    bytea NOT NULL CHECK (octet_length(network) = 32),
    last_login timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, network)
);

-- Each login of a user takes its part of an hour: this is when they all will be over.
CREATE TABLE login_rate (
    user_id    bigint PRIMARY KEY REFERENCES user_account ON DELETE CASCADE,
    busy_until timestamptz NOT NULL
);

-- Who was wrong ------------------------------------------------------------------------------------------------------

-- The order in which the subjects were counted last, by which the oldest are forgotten.
CREATE SEQUENCE login_order MAXVALUE 9007199254740991;
ALTER TABLE login_throttle ADD counted bigint NOT NULL DEFAULT nextval('login_order');
CREATE UNIQUE INDEX login_throttle_order ON login_throttle (counted);
DROP INDEX login_throttle_age;

CREATE FUNCTION login_subject(kind text, name text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(convert_to(kind || ' ' || name, 'UTF8'))
$$;

-- What is counted of an attempt: the account tried from that address, the account from wherever it is, and the address. An
-- account as a whole may have ten times the failures, it takes ten more to double its wait, and each hour forgives some: who
-- guesses from one address does not get that far. Nothing is counted where no failures are free.
CREATE FUNCTION login_subjects(email text, address text, account_free integer, address_free integer)
RETURNS TABLE (subject bytea, free bigint, to_double numeric, forgiven integer, is_elsewhere boolean)
LANGUAGE sql IMMUTABLE AS $$
    SELECT * FROM (VALUES
        (mapdiary.login_subject('account and address', lower(email) || ' ' || address), account_free::bigint, 1, 0, false),
        (mapdiary.login_subject('account', lower(email)), account_free * 10::bigint, 10, account_free, true),
        (mapdiary.login_subject('address', address), address_free::bigint, 1, 0, true)) AS counted (subject, free)
    WHERE free > 0
$$;

-- The failures that count still: a day without an attempt forgets them.
CREATE FUNCTION login_failures(failures integer, last_attempt timestamptz, forgiven integer)
RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN last_attempt < clock_timestamp() - interval '1 day' THEN 0
        ELSE greatest(0, failures - floor(extract(epoch FROM clock_timestamp() - last_attempt) / 3600 * forgiven)) END::integer
$$;

-- Whether somebody may try to log in: how many milliseconds to wait, or 0, and whether this user has logged in from that
-- address before. A failure beyond the free ones doubles the wait, from a second to the longest. From a known address
-- the failures of others do not count. Writes nothing.
CREATE FUNCTION look_at_login(email text, address text, account_free integer, address_free integer, hourly integer,
                              longest bigint, OUT wait bigint, OUT is_known boolean)
LANGUAGE plpgsql STABLE SET search_path = mapdiary AS $$
DECLARE
    who bigint := (SELECT user_id FROM user_account u WHERE lower(u.email) = lower(look_at_login.email) AND NOT disabled);
BEGIN
    is_known := EXISTS (SELECT FROM login_network WHERE user_id = who AND network = login_subject('address', address));
    SELECT coalesce(greatest(0, ceil(max(milliseconds))), 0) INTO wait FROM (
        SELECT extract(epoch FROM last_attempt - clock_timestamp()) * 1000
               + least(1000 * 2.0 ^ least((left_over - free) / to_double, 30), longest)
            FROM login_throttle JOIN login_subjects(email, address, account_free, address_free) USING (subject),
                 login_failures(failures, last_attempt, forgiven) AS left_over
            WHERE left_over >= free AND NOT (is_known AND is_elsewhere)
        UNION ALL
        SELECT extract(epoch FROM busy_until - clock_timestamp()) * 1000 - 3600000 + 3600000 / nullif(hourly, 0)
            FROM login_rate WHERE user_id = who
    ) AS waits (milliseconds);
END $$;

DROP FUNCTION attempt_login(bytea, integer, bytea, integer, bigint);
DROP FUNCTION forgive_login(bytea, bytea);

-- An attempt to log in, counted before the password is looked at, so that attempts side by side all count. Answers the
-- milliseconds to wait, where nothing is counted, or 0 where the attempt may go on. Each one that is counted takes more away
-- than it adds, of what is forgotten and of what is beyond a million.
CREATE FUNCTION attempt_login(email text, address text, account_free integer, address_free integer, hourly integer,
                              longest bigint)
RETURNS bigint LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    seen record;
    wait bigint;
BEGIN
    -- In this order for everybody, so that two attempts never wait for each other.
    FOR seen IN SELECT * FROM login_subjects(email, address, account_free, address_free) LOOP
        PERFORM FROM login_throttle WHERE subject = seen.subject FOR UPDATE;
    END LOOP;
    wait := (look_at_login(email, address, account_free, address_free, hourly, longest)).wait;
    IF wait > 0 THEN
        RETURN wait;
    END IF;
    FOR seen IN SELECT * FROM login_subjects(email, address, account_free, address_free) LOOP
        INSERT INTO login_throttle AS t (subject, failures, last_attempt) VALUES (seen.subject, 1, clock_timestamp())
            ON CONFLICT (subject) DO UPDATE
            SET failures = login_failures(t.failures, t.last_attempt, seen.forgiven) + 1,
                last_attempt = excluded.last_attempt, counted = excluded.counted;
    END LOOP;
    DELETE FROM login_throttle WHERE subject IN (
        SELECT subject FROM (SELECT * FROM login_throttle ORDER BY counted LIMIT 8 FOR UPDATE SKIP LOCKED) AS oldest
            WHERE last_attempt < clock_timestamp() - interval '1 day'
                OR counted <= (SELECT max(counted) FROM login_throttle) - 1000000);
    RETURN 0;
END $$;

-- The attempt was right: the failures of this user from that address are forgotten, there and with the account as a whole,
-- which is not to forget those of others; the address has one less, or whoever has one account could guess at all others.
CREATE FUNCTION welcome_login(who bigint, email text, address text, hourly integer)
RETURNS void LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    own integer;
BEGIN
    -- Whoever is being deleted is not written about.
    PERFORM FROM user_account WHERE user_id = who FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    DELETE FROM login_throttle
        WHERE subject = login_subject('account and address', lower(email) || ' ' || address)
        RETURNING failures INTO own;
    UPDATE login_throttle SET failures = greatest(0, failures - coalesce(own, 0))
        WHERE subject = login_subject('account', lower(email));
    UPDATE login_throttle SET failures = failures - 1
        WHERE subject = login_subject('address', address) AND failures > 0;

    INSERT INTO login_network AS n (user_id, network) VALUES (who, login_subject('address', address))
        ON CONFLICT (user_id, network) DO UPDATE SET last_login = excluded.last_login;
    DELETE FROM login_network WHERE user_id = who AND network IN (
        SELECT network FROM login_network WHERE user_id = who ORDER BY last_login DESC, network OFFSET 20);
    IF hourly > 0 THEN
        INSERT INTO login_rate AS r (user_id, busy_until) VALUES (who, clock_timestamp() + interval '1 hour' / hourly)
            ON CONFLICT (user_id) DO UPDATE
            SET busy_until = greatest(r.busy_until, clock_timestamp()) + interval '1 hour' / hourly;
    END IF;
END $$;

-- Writes that are carried out once -----------------------------------------------------------------------------------

-- As before, and a claim of a session that is not there is refused with MD001 before it is written, unless that was
-- carried out: the session may have ended with it. Whoever has none could make the table grow otherwise, as what is rolled
-- back stays in it for a while.
CREATE OR REPLACE FUNCTION claim_write(claimed bytea, signed_at bigint, request bytea, token bytea, owner bigint)
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
