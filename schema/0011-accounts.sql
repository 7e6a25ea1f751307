-- Accounts that people make themselves: registrations that wait for their address to be proven, the tokens of mails,
-- invitations, and the outbox that mapdiary-mail(8) sends.

-- Accounts -----------------------------------------------------------------------------------------------------------

-- Of the mails to this user, as BCP 47 has it; NULL is the configured one.
ALTER TABLE user_account ADD language text CHECK (language ~ '^[A-Za-z0-9-]{1,35}$');
-- By an operator's decision, which the user is told of; a disabled one is told nothing.
ALTER TABLE user_account ADD blocked boolean NOT NULL DEFAULT false;

-- Who may register where that takes an invitation. It is used up by the account that it leads to.
CREATE TABLE invitation (
    token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL CHECK (expires_at > created_at)
);
CREATE INDEX invitation_expiry ON invitation (expires_at);

-- What was mailed to somebody: good once, until it expires. A registration is no account, and its address nobody's; it
-- has no user, but what the account will have. An address is the new one of a user.
CREATE TYPE token_purpose AS ENUM ('registration', 'address', 'password');
CREATE TABLE account_token (
    token_hash    bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    purpose       token_purpose NOT NULL,
    user_id       bigint REFERENCES user_account ON DELETE CASCADE,
    email         text_line,
    name          text_line,
    password_hash text,
    language      text,
    invitation    bytea REFERENCES invitation ON DELETE CASCADE,
    expires_at    timestamptz NOT NULL
);
CREATE INDEX account_token_user ON account_token (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX account_token_registration ON account_token (lower(email)) WHERE purpose = 'registration';
CREATE INDEX account_token_invitation ON account_token (invitation) WHERE invitation IS NOT NULL;
CREATE INDEX account_token_expiry ON account_token (expires_at);

-- As before, and each hour forgives an address the 24th part of its free failures: one that many share, and that is never
-- quiet for a day, would have used them up for good.
CREATE OR REPLACE FUNCTION login_subjects(email text, address text, account_free integer, address_free integer)
RETURNS TABLE (subject bytea, free bigint, to_double numeric, forgiven integer, is_elsewhere boolean)
LANGUAGE sql IMMUTABLE AS $$
    SELECT * FROM (VALUES
        (mapdiary.login_subject('account and address', lower(email) || ' ' || address), account_free::bigint, 1, 0, false),
        (mapdiary.login_subject('account', lower(email)), account_free * 10::bigint, 10, account_free, true),
        (mapdiary.login_subject('address', address), address_free::bigint, 1, (address_free + 23) / 24, true))
            AS counted (subject, free)
    WHERE free > 0
$$;

-- Mail ---------------------------------------------------------------------------------------------------------------

-- The text of what was sent is forgotten, as it may hold a token. What expires is of no use any more, and not sent.
CREATE TYPE mail_state AS ENUM ('waiting', 'sent', 'failed');
CREATE TABLE mail (
    mail_id    bigint GENERATED ALWAYS AS IDENTITY (MAXVALUE 9007199254740991) PRIMARY KEY,
    message_id uuid NOT NULL DEFAULT gen_random_uuid(),                     -- of all attempts
    user_id    bigint REFERENCES user_account ON DELETE CASCADE,            -- NULL where it is nobody's yet
    recipient  text_line NOT NULL,
    subject    text_line,
    body       body,
    state      mail_state NOT NULL DEFAULT 'waiting',
    attempts   integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    next_at    timestamptz NOT NULL DEFAULT now(),                          -- to be tried then, where it waits
    taken_until timestamptz,                                                -- by a sender, who is at it
    ended_at   timestamptz,                                                 -- sent, or given up
    expires_at timestamptz NOT NULL,
    reply      note,                                                        -- what the mail server said last
    CHECK (num_nonnulls(subject, body) <> 1),
    CHECK ((state = 'waiting') = (ended_at IS NULL)),
    CHECK (state <> 'waiting' OR body IS NOT NULL)
);
CREATE INDEX mail_waiting ON mail (next_at) WHERE state = 'waiting';
CREATE INDEX mail_text ON mail (expires_at) WHERE body IS NOT NULL;
CREATE INDEX mail_age ON mail (created_at);
CREATE INDEX mail_user ON mail (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX mail_nobodys ON mail (lower(recipient)) WHERE user_id IS NULL;

-- Whatever makes a mail wait wakes those who send, when it is committed.
CREATE FUNCTION wake_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NOTIFY mapdiary_mail;
    RETURN NULL;
END $$;
CREATE TRIGGER mail_wakes AFTER INSERT ON mail FOR EACH STATEMENT EXECUTE FUNCTION wake_mail();

-- Writes a mail to the outbox. One that is withheld is written and taken back, which takes as long: so nobody learns by
-- the time who has an account. Each takes more away than it adds, of what is forgotten after 30 days (mapdiary-mail's mail_purge
-- does that, too, where it runs), and of tokens.
CREATE FUNCTION write_mail(who bigint, recipient text, subject text, body text, lifetime interval, is_withheld boolean)
RETURNS void LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    id bigint;
BEGIN
    INSERT INTO mail (user_id, recipient, subject, body, expires_at)
        VALUES (who, recipient, subject, body, now() + lifetime) RETURNING mail_id INTO id;
    IF is_withheld THEN
        DELETE FROM mail WHERE mail_id = id;
    END IF;
    DELETE FROM mail WHERE mail_id IN (
        SELECT mail_id FROM mail WHERE created_at < now() - interval '30 days'
            ORDER BY created_at LIMIT 4 FOR UPDATE SKIP LOCKED);
    DELETE FROM account_token WHERE token_hash IN (
        SELECT token_hash FROM account_token WHERE expires_at < now() ORDER BY expires_at LIMIT 4 FOR UPDATE SKIP LOCKED);
    DELETE FROM invitation WHERE token_hash IN (
        SELECT token_hash FROM invitation WHERE expires_at < now() - interval '2 days'
            ORDER BY expires_at LIMIT 4 FOR UPDATE SKIP LOCKED);
END $$;

-- What people do -----------------------------------------------------------------------------------------------------

-- Refuses with MD001 where there is no such session, for a read, which locks nothing.
CREATE FUNCTION check_session(asker bigint, token bytea) RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM mapdiary.session
                       WHERE token_hash = token AND user_id = asker AND expires_at > now()) THEN
        RAISE EXCEPTION USING ERRCODE = 'MD001', MESSAGE = 'the session is unknown, expired or revoked';
    END IF;
END $$;

CREATE FUNCTION refuse_token() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'MD007', MESSAGE = 'the token is unknown, used up or expired';
END $$;

-- A registration waits for its address to be proven. Where that has an account, the mail is to its owner, and the token
-- is none.
CREATE FUNCTION register_account(token bytea, new_email text, new_name text, hash text, new_language text, invited bytea,
                                 subject text, body text)
RETURNS void LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    there user_account;
BEGIN
    SELECT * INTO there FROM user_account WHERE lower(email) = lower(new_email);
    PERFORM FROM invitation WHERE token_hash = invited FOR KEY SHARE;
    IF invited IS NOT NULL AND NOT FOUND THEN
        PERFORM refuse_token();
    END IF;
    INSERT INTO account_token (token_hash, purpose, email, name, password_hash, language, invitation, expires_at)
        VALUES (token, 'registration', new_email, new_name, hash, new_language, invited, now() + interval '1 day');
    IF there.user_id IS NOT NULL THEN
        DELETE FROM account_token WHERE token_hash = token;
    END IF;
    PERFORM write_mail(there.user_id, new_email, subject, body, interval '1 day', coalesce(there.disabled, false));
END $$;

CREATE FUNCTION request_password(token bytea, whose text, subject text, body text)
RETURNS void LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    there user_account;
BEGIN
    SELECT * INTO there FROM user_account WHERE lower(email) = lower(whose);
    INSERT INTO account_token (token_hash, purpose, user_id, expires_at)
        VALUES (token, 'password', there.user_id, now() + interval '1 hour');
    IF coalesce(there.disabled OR there.blocked, true) THEN
        DELETE FROM account_token WHERE token_hash = token;
    END IF;
    PERFORM write_mail(there.user_id, coalesce(there.email, whose), subject, body, interval '1 hour',
                       coalesce(there.disabled OR there.blocked, true));
END $$;

-- The new address is confirmed, or, where it has an account, its owner is told; so is whoever has the old one. False where
-- the account has another password by now.
CREATE FUNCTION request_address(token bytea, who bigint, verified text, new_email text, subject text, body text,
                                notice_subject text, notice text)
RETURNS boolean LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    asker user_account;
    there user_account;
BEGIN
    SELECT * INTO asker FROM user_account WHERE user_id = who AND password_hash = verified FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT * INTO there FROM user_account WHERE lower(email) = lower(new_email) AND user_id <> who;
    INSERT INTO account_token (token_hash, purpose, user_id, email, expires_at)
        VALUES (token, 'address', who, new_email, now() + interval '1 day');
    IF there.user_id IS NOT NULL THEN
        DELETE FROM account_token WHERE token_hash = token;
    END IF;
    PERFORM write_mail(coalesce(there.user_id, who), new_email, subject, body, interval '1 day',
                       coalesce(there.disabled, false));
    PERFORM write_mail(who, asker.email, notice_subject, notice, interval '1 day', false);
    RETURN true;
END $$;

-- All that a token may use up, in one order for everybody, so that two that do never wait for each other: first the account
-- that it is of, then its invitation, then the tokens that end with it.
CREATE FUNCTION lock_token(token bytea) RETURNS void LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    used account_token;
BEGIN
    SELECT * INTO used FROM account_token WHERE token_hash = token;
    PERFORM FROM user_account WHERE user_id = used.user_id FOR NO KEY UPDATE;
    PERFORM FROM invitation WHERE token_hash = used.invitation FOR UPDATE;
    PERFORM FROM account_token
        WHERE user_id = used.user_id OR invitation = used.invitation
            OR (purpose = 'registration' AND lower(email) = lower(used.email))
        ORDER BY token_hash FOR UPDATE;
END $$;

-- The owner of an address has proven it: the account is made, or has it from now on. Answers the user. What others
-- registered for it is void, and what was mailed to it goes with the account.
CREATE FUNCTION confirm_email(token bytea) RETURNS bigint LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    used account_token;
    who bigint;
BEGIN
    PERFORM lock_token(token);
    DELETE FROM account_token
        WHERE token_hash = token AND purpose IN ('registration', 'address') AND expires_at > clock_timestamp()
        RETURNING * INTO used;
    IF used.invitation IS NOT NULL THEN
        DELETE FROM invitation WHERE token_hash = used.invitation;
        IF NOT FOUND THEN
            used := NULL;
        END IF;
    END IF;
    IF used.purpose = 'registration' THEN
        INSERT INTO user_account (email, name, password_hash, language)
            VALUES (used.email, used.name, used.password_hash, used.language) ON CONFLICT DO NOTHING
            RETURNING user_id INTO who;
    ELSIF used.purpose = 'address' AND NOT EXISTS (
            SELECT FROM user_account WHERE lower(email) = lower(used.email) AND user_id <> used.user_id) THEN
        UPDATE user_account SET email = used.email WHERE user_id = used.user_id AND NOT disabled AND NOT blocked
            RETURNING user_id INTO who;
    END IF;
    IF who IS NULL THEN
        PERFORM refuse_token();
    END IF;
    DELETE FROM account_token
        WHERE user_id = who OR (purpose = 'registration' AND lower(email) = lower(used.email));
    UPDATE mail SET user_id = who WHERE user_id IS NULL AND lower(recipient) = lower(used.email);
    RETURN who;
EXCEPTION
    WHEN unique_violation THEN -- somebody else has confirmed the address at the same moment
        PERFORM refuse_token();
END $$;

-- The account before its sessions: from then on none begins with the old password.
CREATE FUNCTION reset_password(token bytea, hash text) RETURNS bigint LANGUAGE plpgsql SET search_path = mapdiary AS $$
DECLARE
    who bigint;
BEGIN
    PERFORM lock_token(token);
    DELETE FROM account_token WHERE token_hash = token AND purpose = 'password' AND expires_at > clock_timestamp()
        RETURNING user_id INTO who;
    UPDATE user_account SET password_hash = hash WHERE user_id = who AND NOT disabled AND NOT blocked;
    IF NOT FOUND THEN
        PERFORM refuse_token();
    END IF;
    DELETE FROM session WHERE user_id = who;
    DELETE FROM account_token WHERE user_id = who;
    RETURN who;
END $$;

-- All sessions end but this one. False where the account has another password by now.
CREATE FUNCTION change_password(who bigint, verified text, hash text, session_kept bytea)
RETURNS boolean LANGUAGE plpgsql SET search_path = mapdiary AS $$
BEGIN
    UPDATE user_account SET password_hash = hash WHERE user_id = who AND password_hash = verified;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM session WHERE user_id = who AND token_hash <> session_kept;
    DELETE FROM account_token WHERE user_id = who;
    RETURN true;
END $$;

-- All that requests may lock of a user who goes: first the user, to whom from then on nothing is added. Who asks is the user.
-- One goes after the other: where two have quoted and judged each other, the accounts of both are wanted by both.
CREATE FUNCTION lock_user(who bigint) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = mapdiary, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(x'6c656176'::integer, 'mapdiary'::regnamespace::integer);
    PERFORM FROM user_account WHERE user_id = who FOR UPDATE;
    PERFORM lock_pieces_of(who);
END $$;

-- Privileges ---------------------------------------------------------------------------------------------------------

-- mapdiary-mail's role sees the outbox and nothing else. "mapdiaryctl setup" makes it before it migrates, and calls this
-- where it comes later.
CREATE PROCEDURE show_outbox() LANGUAGE plpgsql SET search_path = mapdiary AS $$
BEGIN
    IF to_regrole('mapdiary_mail') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA mapdiary TO mapdiary_mail;
        GRANT SELECT, UPDATE, DELETE ON mail TO mapdiary_mail;
    END IF;
END $$;
CALL show_outbox();
